import { computePolygonStateSyncHash } from '../../../core/proof/computePolygonStateSyncHash.ts'
import { proveBlockReceipts } from '../../../core/proof/proveBlockReceipts.ts'
import type { ReceiptLog } from '../../../core/proof/receipt.ts'
import type { Provider } from '../rpcPool/provider.ts'
import { type BlockPlace, fetchBlock } from './fetchBlock.ts'
import { requestFromProvider } from './requestFromProvider.ts'

/**
 * All logs of a block in order, from one provider's receipts, if the header hashes to the block's hash and the receipts to the
 * header's receiptsRoot. So any provider will do. Null if it fails, or the provider lacks them.
 */
export async function fetchProvenLogs(
  provider: Provider,
  block: BlockPlace,
): Promise<ReceiptLog[] | null> {
  try {
    const { header, receipts } = await fetchBlock(requestFromProvider(provider), block)
    await proveBlockReceipts({ hash: block.blockHash, header }, receipts, [])
    // Polygon's servers return one receipt that the root doesn't cover, so it isn't proven.
    const uncovered = computePolygonStateSyncHash(block.blockNumber, block.blockHash)
    return receipts
      .filter(({ transactionHash }) => transactionHash !== uncovered)
      .sort((a, b) => a.transactionIndex - b.transactionIndex)
      .flatMap(({ logs }) => logs)
  } catch {
    return null
  }
}
