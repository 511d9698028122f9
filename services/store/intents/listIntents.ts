import { type RawBuilder, sql } from 'kysely'
import type { ChainHeads } from '../chains/chainHeads.ts'
import type { Db } from '../database/database.ts'
import { filterBranches, type IntentFilters } from './filterBranches.ts'
import { beyondSql, type IntentOrder, type IntentPlace, orderBySql } from './intentOrder.ts'
import { settledOnly } from './settledOnly.ts'
import { type StoredIntent, storedIntentsQuery, toStoredIntent } from './storedIntent.ts'

export type IntentPage = {
  filter?: IntentFilters | undefined
  order: IntentOrder
  /** Only rows strictly after this place in the order; the page is then the first `limit` of them. */
  after?: IntentPlace | undefined
  /** Only rows strictly before this place; without `after` the page is the last `limit` of them. */
  before?: IntentPlace | undefined
  /** Take the last `limit` rows of the range rather than the first. Default: `before` without `after`. */
  fromEnd?: boolean | undefined
  /** Rows at most. Ask for one more than a page to learn whether there is another page. */
  limit: number
  /** Load each intent's events, for its timeline. */
  withEvents?: boolean | undefined
  /** The chains' indexed heads, by which statuses are judged: those that the answer will show. */
  heads: ChainHeads
}

/** A page of intents in the given order (also when it was taken from the end). One statement. */
export async function listIntents(db: Db, page: IntentPage): Promise<StoredIntent[]> {
  const query = listIntentsQuery(page)
  if (query === null) return []
  const { rows } = await query.execute(db)
  return rows.map(toStoredIntent)
}

/** The statement of `listIntents`; null when no row can match. */
export function listIntentsQuery(page: IntentPage) {
  const listed = listedRows(page)
  return listed && storedIntentsQuery(listed.rows, listed.order, page.withEvents ?? false)
}

/** A page as rows of `cairn.intent`, in any order, and the order to put them in; null when no row can match. */
export function listedRows(
  page: IntentPage,
): { rows: RawBuilder<unknown>; order: RawBuilder<unknown> } | null {
  const { filter = {}, order, after, before, limit, heads } = page
  const fromEnd = page.fromEnd ?? (before !== undefined && after === undefined)
  const range = [
    ...(after ? [beyondSql(order, after, 'after')] : []),
    ...(before ? [beyondSql(order, before, 'before')] : []),
  ]
  const branches = filterBranches(settledOnly(filter, order), heads).map((where) =>
    branchPage([where, ...range], orderBySql(order, fromEnd), limit),
  )
  const [only, ...more] = branches
  if (only === undefined) return null
  const rows = more.length === 0 ? only : mergedPage(branches, orderBySql(order, fromEnd), limit)
  return { rows, order: orderBySql(order) }
}

/** Each branch walks an index of its own and stops after a page. */
function branchPage(
  conditions: RawBuilder<unknown>[],
  order: RawBuilder<unknown>,
  limit: number,
): RawBuilder<unknown> {
  return sql`select * from cairn.intent as intent
    where ${sql.join(conditions, sql` and `)} ${order} limit ${sql.lit(limit)}`
}

function mergedPage(
  branches: RawBuilder<unknown>[],
  order: RawBuilder<unknown>,
  limit: number,
): RawBuilder<unknown> {
  const parts = branches.map((branch) => sql`(${branch})`)
  return sql`select * from (${sql.join(parts, sql` union all `)}) as intent ${order} limit ${sql.lit(limit)}`
}
