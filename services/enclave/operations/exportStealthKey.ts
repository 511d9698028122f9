import { bytesToHex, hexToBytes } from 'viem'
import {
  challengeMessageForms,
  deriveMessageForms,
} from '../../../sdk/messages/recipientMessageForms.ts'
import { encryptTo } from '../../../sdk/seal/encryptTo.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import { deriveDeliveryKey, deriveDeliveryStealth } from '../keys/recipientStealthKeys.ts'
import { type Handler, type OperationContext, requireChain } from '../operationContext.ts'
import type { CheckedRequest } from '../operationSchemas.ts'
import { requireWalletSignature } from './requireWalletSignature.ts'

/** Allowed difference between a challenge's time and ours, in seconds. */
const CHALLENGE_WINDOW = 300

/**
 * Returns a stealth address's key to the wallet that it was derived for: derives the address again, under the current
 * or an older root, and verifies the wallet's signature. Encrypts the key to `sealTo`, if the wallet has signed that.
 */
export const exportStealthKey: Handler<'exportStealthKey'> = async (context, request) => {
  const { recipientAddress, stealthAddress, signature, challenge, contractOn } = request
  const wallet = recipientAddress.toLowerCase() as Hex
  const statement = deriveMessageForms(recipientAddress, stealthAddress)
  await requireWalletSignature(context, { wallet, statement, signature, contractOn })
  if (requireChain(context, request.chainId).mode === 'strict' || challenge !== undefined) {
    requireFreshChallenge(context, challenge)
    const fresh = challengeMessageForms(recipientAddress, stealthAddress, challenge)
    const signed = { wallet, statement: fresh, signature: challenge.signature, contractOn }
    await requireWalletSignature(context, signed)
  }
  // Only the keys of the recipient that signed, not of another one with the same address.
  const delivery = { ...request, recipientAddress: wallet }
  const root = context.keyring.roots.find(
    (one) => deriveDeliveryStealth(one, delivery).stealthAddress === stealthAddress.toLowerCase(),
  )
  if (root === undefined) throw new EnclaveError('NOT_YOUR_ADDRESS')
  const key = deriveDeliveryKey(root, delivery)
  return { stealthPrivateKey: bytesToHex(sealed(key, challenge?.sealTo)) }
}

/** Encrypts the key, if asked to: the relayer, which passes the answer on, mustn't learn it. */
function sealed(key: Uint8Array, to: Hex | undefined): Uint8Array {
  if (to === undefined) return key
  try {
    return encryptTo(hexToBytes(to), key)
  } catch {
    throw new EnclaveError('REQUEST_INVALID', 'challenge.sealTo')
  }
}

function requireFreshChallenge(
  context: OperationContext,
  challenge: CheckedRequest<'exportStealthKey'>['challenge'],
): asserts challenge is NonNullable<typeof challenge> {
  if (challenge === undefined) throw new EnclaveError('CHALLENGE_REQUIRED')
  if (Math.abs(context.now() - challenge.timestamp) > CHALLENGE_WINDOW) {
    throw new EnclaveError('CHALLENGE_REQUIRED', 'challenge.timestamp')
  }
}
