import { bytesToHex, hexToBytes, keccak256, stringToBytes } from 'viem'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { Room } from '../room.ts'
import { openFunded } from './openSubmission.ts'
import { signVault } from './signVault.ts'
import { trancheBlob, trancheSalt } from './trancheBlob.ts'

/**
 * Signs one tranche of an order: that it names the order's own recipients. When it is due, and that it
 * is fired once, the vault sees to; whoever has the signatures can do nothing else by them. A blob counts for
 * its exact terms only, so the bridge's part of them, the shortest auction, is nobody's word but the bridge's:
 * by a wrong one the tranche would name nobody, and in compat whoever came first could name itself.
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
