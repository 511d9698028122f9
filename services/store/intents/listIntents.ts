import { type RawBuilder, sql } from 'kysely'
import type { ChainHeads } from '../chains/readChainStates.ts'
import { listOf } from '../database/filterSql.ts'
import type { Db } from '../database/openDatabase.ts'
import { type IntentFilter, intersectFilters } from './intentFilter.ts'
import { beyondSql, type IntentPlace, type IntentSortOrder, orderBySql } from './intentSortOrder.ts'
import { type IntentFilters, splitIntentFilter } from './splitIntentFilter.ts'
import {
  type IntentKey,
  SEQUENCE,
  type StoredIntent,
  storedIntentsQuery,
  toStoredIntent,
} from './storedIntent.ts'

export type IntentPage = {
  filter?: IntentFilters | undefined
  order: IntentSortOrder
  /** Only rows strictly after this position in the order; the page is the first `limit` of them. */
  after?: IntentPlace | undefined
  /** Only rows strictly before this position; without `after` the page is the last `limit` of them. */
  before?: IntentPlace | undefined
  /** Take the last `limit` rows of the range rather than the first. Default: `before` without `after`. */
  fromEnd?: boolean | undefined
  /** One more than a page shows whether there is a next page. */
  limit: number
  /** Loads each intent's timeline events. */
  withEvents?: boolean | undefined
  /** The chains' indexed heads, which determine statuses; the same ones as in the response. */
  heads: ChainHeads
}

/** Lists a page of intents, always in the given order. One statement. */
export async function listIntents(db: Db, page: IntentPage): Promise<StoredIntent[]> {
  const listed = listedRows(page)
  if (listed === null) return []
  const query = storedIntentsQuery(listed.rows, listed.order, page.withEvents ?? false)
  const { rows } = await query.execute(db)
  return rows.map(toStoredIntent)
}

/** The keys and sequences of a page of intents: what tells whether known records are still current. */
export async function listIntentVersions(
  db: Db,
  page: IntentPage,
): Promise<(IntentKey & { sequence: bigint })[]> {
  const listed = listedRows(page)
  if (listed === null) return []
  const query = sql<IntentKey & { sequence: bigint }>`select intent.intent_id as "intentId",
    intent.source_chain_id as "sourceChainId", ${sql.raw(SEQUENCE)} as sequence
    from (${listed.rows}) as intent ${listed.order}`
  return (await query.execute(db)).rows
}

/** A page as unordered rows of `cairn.intent`, and their order; null if no row can match. */
function listedRows(
  page: IntentPage,
): { rows: RawBuilder<unknown>; order: RawBuilder<unknown> } | null {
  const { filter = {}, order, after, before, limit, heads } = page
  const fromEnd = page.fromEnd ?? (before !== undefined && after === undefined)
  const range = [
    ...(after ? [beyondSql(order, after, 'after')] : []),
    ...(before ? [beyondSql(order, before, 'before')] : []),
  ]
  const end = sql`${orderBySql(order, fromEnd)} limit ${sql.lit(limit)}`
  // Each branch scans its own index and stops after a page.
  const branches = splitIntentFilter(settledOnly(filter, order), heads).map(
    (where) => sql`select * from cairn.intent as intent
    where ${sql.join([where, ...range], sql` and `)} ${end}`,
  )
  const [only, ...more] = branches
  if (only === undefined) return null
  const parts = branches.map((branch) => sql`(${branch})`)
  const merged = sql`select * from (${sql.join(parts, sql` union all `)}) as intent ${end}`
  return { rows: more.length === 0 ? only : merged, order: orderBySql(order) }
}

/**
 * Adds the condition that a list's order implies: by fee or settlement time, only settled intents. It is a range rather than
 * a null test, so that the order's index can be used.
 */
export function settledOnly(filters: IntentFilters, { by }: IntentSortOrder): IntentFilters {
  if (by !== 'fee' && by !== 'settledAt') return filters
  const settled: IntentFilter = by === 'fee' ? { fee: { from: 0n } } : { settledAt: { from: 0 } }
  return listOf<IntentFilter>(filters).flatMap((one) => intersectFilters(one, settled) ?? [])
}
