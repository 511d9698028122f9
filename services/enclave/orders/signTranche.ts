import { bytesToHex, hexToBytes, keccak256, stringToBytes } from 'viem'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { OperationContext } from '../operationContext.ts'
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
  context: OperationContext,
  { sourceChainId, encrypted, n }: CheckedRequest<'signTranche'>,
): Promise<ResponseOf<'signTranche'>> {
  const opened = openFunded(context, encrypted, sourceChainId)
  const { orderId, chain } = opened
  const minAuctionDuration = await context.shortestAuction(chain)
  const encryptedBlob = trancheBlob(context, opened, { n, minAuctionDuration })
  const blobHash = keccak256(hexToBytes(encryptedBlob))
  const signed = await signVault(context, chain, 'FireTranche', { orderId, n: BigInt(n), blobHash })
  return { ...signed, encryptedBlob }
}

/** Encrypts a tranche's recipients to the relayer, tied to the intent that it became. */
export function sealTrancheBundle(
  context: OperationContext,
  { sourceChainId, encrypted, n, intentId }: CheckedRequest<'sealTrancheBundle'>,
): ResponseOf<'sealTrancheBundle'> {
  const { submission, orderId, root } = openFunded(context, encrypted, sourceChainId)
  const { recipients, amounts, user: sender } = submission
  const bundle = JSON.stringify({
    ...{ recipients, amounts: amounts.map(String), sender, chainId: sourceChainId },
    ...{ intentId: String(intentId), n: 0, salt: trancheSalt(root, orderId, n) },
  })
  const { publicKey } = context.keyring.current
  return { encryptedData: bytesToHex(context.ecies.encrypt(publicKey, stringToBytes(bundle))) }
}
