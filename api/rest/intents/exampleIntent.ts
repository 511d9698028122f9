import { chainsOrNone } from '../../../services/store/chains/liveChains.ts'
import { listIntents } from '../../../services/store/intents/listIntents.ts'
import { listOrders } from '../../../services/store/orders/listOrders.ts'
import { listSolvers } from '../../../services/store/solvers/listSolvers.ts'
import { chainNameOf } from '../../../src/chain/names.ts'
import { apiOrderId } from '../../../src/order/apiOrderId.ts'
import { checksummed } from '../../http/checksummed.ts'
import type { ExampleIntent } from '../../http/docs/finishDocument.ts'
import type { RelayerReads } from '../relayerReads.ts'

/** The newest intent and order and a solver, for the documentation's examples: what they ask for is there. Null without an intent. */
export async function exampleIntent({
  db,
  chains,
  configured,
}: RelayerReads): Promise<ExampleIntent | null> {
  const { heads } = await chainsOrNone(chains)
  if (heads.size === 0) return null
  const order = { by: 'createdAt', direction: 'desc' } as const
  const page = { after: undefined, before: undefined, fromEnd: false, limit: 1 }
  const [newest] = await listIntents(db, { ...page, filter: {}, order, heads })
  if (!newest) return null
  const [solver] = await listSolvers(db, 'address', { ...page, direction: 'asc' })
  const [scheduled] = await listOrders(db, {}, heads, { ...page, direction: 'desc' })
  const { intentId, createTxHash, destChainId } = newest.source
  const destination = configured.find(({ chainId }) => chainId === destChainId)?.name
  return {
    intentId: String(intentId),
    txHash: createTxHash,
    destChain: destination ?? chainNameOf(destChainId) ?? String(destChainId),
    solver: solver ? checksummed(solver.solver) : null,
    order: scheduled ? apiOrderId(scheduled.orderId) : null,
  }
}
