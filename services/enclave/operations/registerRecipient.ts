import { bytesToHex } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { recipientPublicKeys } from '../keys/recipientKeys.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { Room } from '../room.ts'
import { requireWalletSignature } from './walletSignature.ts'

/** A wallet's public keys. They follow from the root, so nothing has to be remembered. */
export async function registerRecipient(
  room: Room,
  { recipientAddress, signature, chainId }: CheckedRequest<'registerRecipient'>,
): Promise<ResponseOf<'registerRecipient'>> {
  const wallet = recipientAddress.toLowerCase() as Hex
  const message = `REGISTER_STEALTH:${recipientAddress}`
  await requireWalletSignature(room, { wallet, message, signature, chainId })
  const { spendPublicKey, viewPublicKey } = recipientPublicKeys(room.keyring.roots[0], wallet)
  return { spendPubKey: bytesToHex(spendPublicKey), viewPubKey: bytesToHex(viewPublicKey) }
}
