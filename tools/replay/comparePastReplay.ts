import type { ClientBase } from 'pg'
import { loadIntentsAsOf } from '../../services/store/asOf/loadIntentsAsOf.ts'
import type { AsOf } from '../../services/store/asOf/resolveAsOf.ts'
import { readChainStates } from '../../services/store/chains/readChainStates.ts'
import type { Db } from '../../services/store/database/openDatabase.ts'
import { loadOrdersAsOf } from '../../services/store/orders/loadOrdersAsOf.ts'
import type { AnyRow } from '../../src/projection/rowTypes.ts'
import { ToolError } from '../commandLine.ts'
import { compareRow, compareRows, type RowComparison } from './compareRows.ts'
import { readDatabaseHeight, requireNoReorg } from './readDatabaseHeight.ts'
import type { Replay } from './replayChain.ts'

/** Intents or orders to read and fold at once. */
const PAGE = 500

/**
 * Compares a replay that ends at an earlier block with the database's state as of that block: first the events, bids,
 * deliveries and tranches up to it; if these match, each intent and order as the APIs show it. Other tables have no history.
 *
 * @param limit differences to describe
 * @throws ToolError when the database hasn't reached the block, ChangedDuringReadError when it holds blocks that were replaced
 */
export async function comparePastReplay(
  client: ClientBase,
  db: Db,
  replay: Replay,
  limit: number,
): Promise<RowComparison> {
  const { chain, store, block } = replay
  const height = await readDatabaseHeight(client, chain.chainId)
  if (height < block.number) {
    throw new ToolError(
      `the database has ${chain.name} only up to block ${height}: choose an earlier block, or wait`,
    )
  }
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  try {
    const rows = await compareRows(client, chain.chainId, store, limit, block.number)
    if (rows.differences === 0) return await compareRecords(db, replay, rows, limit)
    await requireNoReorg(client, replay)
    return rows
  } finally {
    await client.query('ROLLBACK')
  }
}

/** Adds the intents and orders as of the replay's block to a comparison. */
async function compareRecords(
  db: Db,
  { chain: { chainId }, store, block }: Replay,
  before: RowComparison,
  limit: number,
): Promise<RowComparison> {
  const result = { ...before, first: [...before.first] }
  const asOf = await toAsOf(db, chainId, block)
  const compare = (table: 'intent' | 'scheduledOrder', found: AnyRow | null, row: AnyRow) => {
    result.rows += found ? 1 : 0
    const difference = compareRow(table, found, row)
    if (!difference) return
    result.differences += 1
    if (result.first.length < limit) result.first.push(difference)
  }
  for (const page of splitIntoPages(store.rows('intent'))) {
    const stored = await loadIntentsAsOf(db, page, asOf)
    const found = new Map(stored.map(({ source }) => [source.intentId, source]))
    for (const row of page) compare('intent', found.get(row.intentId) ?? null, row)
  }
  for (const page of splitIntoPages(store.rows('scheduledOrder'))) {
    const stored = await loadOrdersAsOf(db, page, asOf.cutoffs)
    const found = new Map(stored.map((order) => [order.orderId, order]))
    for (const row of page) compare('scheduledOrder', found.get(row.orderId) ?? null, row)
  }
  return result
}

/** The replay's block in the form the APIs read as of. */
async function toAsOf(db: Db, chainId: number, block: Replay['block']): Promise<AsOf> {
  const cutoff = { blockNumber: block.number, timestamp: block.timestamp }
  const states = await readChainStates(db)
  const heads = new Map(states.ready.map(({ chainId, head }) => [chainId, head]))
  return { cutoffs: new Map([[chainId, cutoff]]), chains: { ...states, heads } }
}

function* splitIntoPages<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let from = 0; from < rows.length; from += PAGE) yield rows.slice(from, from + PAGE)
}
