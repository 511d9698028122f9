import { bytesToHex, hexToBytes, keccak256, stringToBytes } from 'viem'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { Room } from '../room.ts'
import { openFunded } from './openSubmission.ts'
import { signVault } from './signVault.ts'
import { trancheBlob, trancheSalt } from './trancheBlob.ts'

/**
 * Signs one tranche of an order: that it names the order's own recipients. The vault enforces that it is due
 * and fired once; the signatures allow nothing else. A blob counts only for its exact terms, so the bridge's
 * part of them, the shortest auction, comes from the bridge: with a wrong one the tranche would name nobody,
 * and in compat a stranger could be the first to name recipients.
 */
export async function signTranche(
  room: Room,
  { sourceChainId, encrypted, n }: CheckedRequest<'signTranche'>,
): Promise<ResponseOf<'signTranche'>> {
  const opened = openFunded(room, encrypted, sourceChainId)
  const { orderId, chain } = opened
  const minAuctionDuration = await room.shortestAuction(chain)
  const encryptedBlob = trancheBlob(room, opened, { n, minAuctionDuration })
  const blobHash = keccak256(hexToBytes(encryptedBlob))
  const signed = await signVault(room, chain, 'FireTranche', { orderId, n: BigInt(n), blobHash })
  return { ...signed, encryptedBlob }
}

/** Encrypts a tranche's recipients to the relayer, tied to the intent that it became. */
export function sealTrancheBundle(
  room: Room,
  { sourceChainId, encrypted, n, intentId }: CheckedRequest<'sealTrancheBundle'>,
): ResponseOf<'sealTrancheBundle'> {
  const { submission, orderId, root } = openFunded(room, encrypted, sourceChainId)
  const { recipients, amounts, user: sender } = submission
  const bundle = JSON.stringify({
    ...{ recipients, amounts: amounts.map(String), sender, chainId: sourceChainId },
    ...{ intentId: String(intentId), n: 0, salt: trancheSalt(root, orderId, n) },
  })
  const { publicKey } = room.keyring.current
  return { encryptedData: bytesToHex(room.ecies.encrypt(publicKey, stringToBytes(bundle))) }
}
