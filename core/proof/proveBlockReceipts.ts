import type { Hex } from '../../src/event/bridgeEvent.ts'
import { computePolygonStateSyncHash } from './computePolygonStateSyncHash.ts'
import { encodeReceipt } from './encodeReceipt.ts'
import { hashHeader, readHeaderNumber } from './hashHeader.ts'
import type { BlockHeader } from './headerFields.ts'
import type { PlacedReceipt } from './parseRpcReceipt.ts'
import { ProofError } from './proofError.ts'
import { proveReceipts, type ReceiptProof } from './proveReceipts.ts'

/**
 * Proves receipts of one block from its header and all its receipts, in any order, trusting neither.
 *
 * @throws ProofError `HEADER_HASH_MISMATCH`; `RECEIPTS_INCOMPLETE` if an index is missing or repeated; `ROOT_MISMATCH`
 *   if the receipts aren't the block's
 */
export async function proveBlockReceipts(
  block: { hash: Hex; header: BlockHeader },
  receipts: readonly PlacedReceipt[],
  transactionIndexes: readonly number[],
): Promise<ReceiptProof[]> {
  const hash = hashHeader(block.header)
  if (hash !== block.hash) {
    throw new ProofError('HEADER_HASH_MISMATCH', `the header hashes to ${hash}, not ${block.hash}`)
  }
  const ordered = sortReceipts(dropStateSync(block, receipts))
  return proveReceipts(ordered.map(encodeReceipt), block.header.receiptsRoot, transactionIndexes)
}

/** Removes what a server lists but the block doesn't contain. */
function dropStateSync(
  block: { hash: Hex; header: BlockHeader },
  receipts: readonly PlacedReceipt[],
): PlacedReceipt[] {
  const stateSync = computePolygonStateSyncHash(
    readHeaderNumber(block.header, 'number'),
    block.hash,
  )
  return receipts.filter((receipt) => receipt.transactionHash !== stateSync)
}

function sortReceipts(receipts: readonly PlacedReceipt[]): PlacedReceipt[] {
  const ordered = receipts.toSorted((a, b) => a.transactionIndex - b.transactionIndex)
  for (const [index, receipt] of ordered.entries()) {
    if (receipt.transactionIndex !== index) {
      throw new ProofError('RECEIPTS_INCOMPLETE', `receipt ${index} of the block is missing`)
    }
  }
  return ordered
}
