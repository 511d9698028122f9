import { polygonStateSyncHash } from '../../../core/proof/polygonStateSync.ts'
import { proveBlock } from '../../../core/proof/proveBlock.ts'
import type { ReceiptLog } from '../../../core/proof/receipt.ts'
import type { Provider } from '../rpcPool/provider.ts'
import { type BlockPlace, fetchBlock } from './fetchBlock.ts'
import { requestFromProvider } from './requestFromProvider.ts'

/**
 * All logs of a block in its order, by one provider's receipts, if its header hashes to the block's hash and the
 * receipts to the header's receiptsRoot: then it doesn't matter whose they are. Null if they don't, or it has none.
 */
export async function provenLogs(
  provider: Provider,
  block: BlockPlace,
): Promise<ReceiptLog[] | null> {
  try {
    const { header, receipts } = await fetchBlock(requestFromProvider(provider), block)
    await proveBlock({ hash: block.blockHash, header }, receipts, [])
    // Polygon's servers list one receipt that the root doesn't cover: it proves nothing.
    const uncovered = polygonStateSyncHash(block.blockNumber, block.blockHash)
    return receipts
      .filter(({ transactionHash }) => transactionHash !== uncovered)
      .sort((a, b) => a.transactionIndex - b.transactionIndex)
      .flatMap(({ logs }) => logs)
  } catch {
    return null
  }
}
