import { STATUSES, type Status } from '../core/intent/status.ts'
import { ORDER_STATUSES, type OrderStatusWord } from '../core/order/orderStatus.ts'
import { readChainStates } from '../services/store/chains/readChainStates.ts'
import { type Db, openDatabase } from '../services/store/database/openDatabase.ts'
import { countIntents } from '../services/store/intents/countIntents.ts'
import { ORDERS } from '../services/store/orders/scheduledOrders.ts'
import { createDevnetClient } from './devnetClient.ts'
import type { DevnetChain } from './startChains.ts'

/** What the screen shows about a running devnet. */
export type Overview = {
  counts: Record<Status, number>
  /** Scheduled orders by status. */
  orders: Record<OrderStatusWord, number>
  chains: ChainOverview[]
}

export type ChainOverview = {
  name: string
  /** The node's latest block; null if it doesn't answer. */
  head: number | null
  /** The latest indexed block; null until the first backfill is done. */
  indexed: number | null
  problem: string | null
}

type Ready = Awaited<ReturnType<typeof readChainStates>>['ready']

type OverviewReader = { read(): Promise<Overview>; close(): Promise<void> }

/** Reads the overview on demand. */
export function createOverviewReader(
  databaseUrl: string,
  chains: readonly DevnetChain[],
): OverviewReader {
  const { db, close } = openDatabase({ databaseUrl, name: 'cairn_devnet', connections: 2 })
  const nodes = chains.map((chain) => ({ ...chain, client: createDevnetClient(chain) }))
  return {
    close,
    read: async () => {
      const heads = await Promise.all(
        nodes.map(({ client }) => client.getBlockNumber().then(Number, () => null)),
      )
      const states = await readChainStates(db)
      return {
        counts: await countByStatus(db, states.ready),
        orders: await countOrdersByStatus(db, states.ready),
        chains: nodes.map(({ name, chainId }, position) => {
          const ready = states.ready.find((state) => state.chainId === chainId)
          const known = ready ?? states.backfilling.find((state) => state.chainId === chainId)
          return {
            name,
            head: heads[position] ?? null,
            indexed: ready?.head.blockNumber ?? null,
            problem: known?.problem ?? null,
          }
        }),
      }
    },
  }
}

async function countOrdersByStatus(db: Db, ready: Ready): Promise<Record<OrderStatusWord, number>> {
  const heads = headsOf(ready)
  const counts = await Promise.all(
    ORDER_STATUSES.map(async (status) => [
      status,
      await ORDERS.count(db, { filter: { status }, heads }),
    ]),
  )
  return Object.fromEntries(counts) as Record<OrderStatusWord, number>
}

async function countByStatus(db: Db, ready: Ready): Promise<Record<Status, number>> {
  const heads = headsOf(ready)
  const counts = await Promise.all(
    STATUSES.map(async (status) => {
      const count = await countIntents(db, { statuses: [status] }, heads)
      return [status, count] as const
    }),
  )
  return Object.fromEntries(counts) as Record<Status, number>
}

function headsOf(ready: Ready) {
  return new Map(ready.map(({ chainId, head }) => [chainId, head]))
}
