import { bytesToHex, hexToBytes, keccak256, stringToBytes } from 'viem'
import { buildVaultMessage } from '../../../core/order/enclaveVaultMessages.ts'
import type { Handler } from '../operationContext.ts'
import { signWithAttesterKey } from '../operations/signWithAttesterKey.ts'
import { openOrderOn } from './openSubmission.ts'
import { deriveTrancheSalt, sealTrancheBlob } from './trancheBlob.ts'

/**
 * Signs one tranche of an order, with a blob that names the order's own recipients. The vault enforces that it is due
 * and fired once; the signatures allow nothing else. A blob counts only for its exact terms, which include the bridge's
 * shortest auction, so that is read from the bridge: with a wrong one the tranche would name nobody, and in compat a
 * stranger could be the first to name recipients.
 */
export const signTranche: Handler<'signTranche'> = async (
  context,
  { sourceChainId, encrypted, n },
) => {
  const opened = openOrderOn(context, encrypted, sourceChainId)
  const { orderId, chain } = opened
  const minAuctionDuration = await context.shortestAuction(chain)
  const encryptedBlob = sealTrancheBlob(context, opened, { n, minAuctionDuration })
  const blobHash = keccak256(hexToBytes(encryptedBlob))
  const signed = await signWithAttesterKey(
    context,
    buildVaultMessage(chain, 'FireTranche', { orderId, n: BigInt(n), blobHash }),
  )
  return { ...signed, encryptedBlob }
}

/** Encrypts a tranche's recipients to the relayer, tied to the intent that it became. */
export const sealTrancheBundle: Handler<'sealTrancheBundle'> = (
  context,
  { sourceChainId, encrypted, n, intentId },
) => {
  const { submission, orderId, root } = openOrderOn(context, encrypted, sourceChainId)
  const { recipients, amounts, user: sender } = submission
  const bundle = JSON.stringify({
    recipients,
    amounts: amounts.map(String),
    sender,
    chainId: sourceChainId,
    intentId: String(intentId),
    n: 0,
    salt: deriveTrancheSalt(root, orderId, n),
  })
  const { publicKey } = context.keyring.current
  return { encryptedData: bytesToHex(context.ecies.encrypt(publicKey, stringToBytes(bundle))) }
}
