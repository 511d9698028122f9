import { bytesToHex } from 'viem'
import { registerMessageForms } from '../../../sdk/messages/recipientMessageForms.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import {
  computeCallerTag,
  computeRecipientTag,
  derivePublicKeys,
} from '../keys/recipientStealthKeys.ts'
import { sealRegistration } from '../keys/sealedRecipientTickets.ts'
import type { Handler } from '../operationContext.ts'
import { requireWalletSignature } from './requireWalletSignature.ts'

/**
 * Returns a recipient's public keys, which derive from the root, and the enclave's ticket for its signature, without
 * which nobody is registered, regardless of any database.
 */
export const registerRecipient: Handler<'registerRecipient'> = async (
  context,
  { recipientAddress, signature, contractOn },
) => {
  const wallet = recipientAddress.toLowerCase() as Hex
  const statement = registerMessageForms(recipientAddress)
  await requireWalletSignature(context, { wallet, statement, signature, contractOn })
  const recipient = { recipientAddress: wallet, contractOn }
  const { roots } = context.keyring
  const { spendPublicKey, viewPublicKey } = derivePublicKeys(roots[0], recipient)
  return {
    spendPubKey: bytesToHex(spendPublicKey),
    viewPubKey: bytesToHex(viewPublicKey),
    tags: roots.map((root) => computeRecipientTag(root, recipient)),
    ticket: sealRegistration(roots[0], recipient),
  }
}

/** Tags of recipients, one per root, so that rows from an older root are found too. */
export const tagRecipients: Handler<'tagRecipients'> = ({ keyring }, { recipients }) => {
  return {
    tags: recipients.map((recipient) =>
      keyring.roots.map((root) => computeRecipientTag(root, recipient)),
    ),
  }
}

/** A caller's tag, under the current root. */
export const tagCaller: Handler<'tagCaller'> = ({ keyring }, { caller }) => {
  return { tag: computeCallerTag(keyring.roots[0], caller) }
}
