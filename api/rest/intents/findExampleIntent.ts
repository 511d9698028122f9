import { toApiOrderId } from '../../../core/order/apiOrderId.ts'
import { chainsOrNone } from '../../../services/store/chains/chainStateCache.ts'
import { listIntents } from '../../../services/store/intents/listIntents.ts'
import { ORDERS } from '../../../services/store/orders/scheduledOrders.ts'
import { listSolvers } from '../../../services/store/solvers/listSolvers.ts'
import type { ExampleIntent } from '../../http/docs/completeOpenApi.ts'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import { createChainNamer } from '../chainNamer.ts'
import type { ReadContext } from '../readContext.ts'

/** The newest intent, a solver and the newest order for the documentation's examples, so that they work as they are. Null without an intent. */
export async function findExampleIntent({
  db,
  chains,
  configured,
}: ReadContext): Promise<ExampleIntent | null> {
  const { heads } = await chainsOrNone(chains)
  if (heads.size === 0) return null
  const order = { by: 'createdAt', direction: 'desc' } as const
  const page = { after: undefined, before: undefined, fromEnd: false, limit: 1 }
  const [newest] = await listIntents(db, { ...page, filter: {}, order, heads })
  if (!newest) return null
  const [solver] = await listSolvers(db, 'address', { ...page, direction: 'asc' })
  const [scheduled] = await ORDERS.list(db, { filter: {}, heads }, { ...page, direction: 'desc' })
  const { intentId, createTxHash, destChainId, sourceChainId } = newest.source
  const nameOf = createChainNamer(configured)
  return {
    intentId: String(intentId),
    txHash: createTxHash,
    sourceChain: nameOf(sourceChainId),
    destChain: nameOf(destChainId),
    tokenA: toChecksumAddress(newest.source.tokenA),
    tokenB: toChecksumAddress(newest.source.tokenB),
    amountA: String(newest.source.amountA),
    solver: solver ? toChecksumAddress(solver.solver) : null,
    order: scheduled ? toApiOrderId(scheduled.orderId) : null,
  }
}
