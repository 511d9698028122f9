import { type RawBuilder, sql } from 'kysely'
import { toColumnName } from '../../../core/rows/columnName.ts'
import { conditionSql, listOf } from '../database/filterSql.ts'
import type { Db } from '../database/openDatabase.ts'
import { filterConditions, type IntentFilter } from '../intents/intentFilter.ts'
import {
  beyondSql,
  type IntentPlace,
  type IntentSortOrder,
  orderBySql,
} from '../intents/intentSortOrder.ts'
import type { IntentFilters } from '../intents/splitIntentFilter.ts'
import type { StoredIntent } from '../intents/storedIntent.ts'
import { UNPREPARED, withinSql } from './cutoffSql.ts'
import { candidateConditions, filtersByMutable, immutablePart, passesFilter } from './filterAsOf.ts'
import { type TimelineRow, timelinesQuery, toStoredAsOf } from './loadIntentsAsOf.ts'
import type { AsOf } from './resolveAsOf.ts'

/** A page of a list of intents at the cutoffs. Pages go forwards only. */
export type AsOfPage = {
  filter: IntentFilters
  /** Not by a mutable column; see `changesInLife`. */
  order: IntentSortOrder
  after: IntentPlace | undefined
  limit: number
}

export type AsOfList = {
  intents: StoredIntent[]
  /** Where the next page starts; null at the end. Even a short or empty page may have a next one. */
  next: IntentPlace | null
}

/** Limits on the work for one page. */
type ScanLimits = {
  statements: number
  /** Rows that a statement scans. */
  rows: number
  /** Intents that a statement folds, unless the page needs more; and that all statements fold, roughly. */
  folds: number
  allFolds: number
}

const LIMITS: ScanLimits = { statements: 8, rows: 5_000, folds: 500, allFolds: 1_500 }

/**
 * A page of intents in their state at the cutoffs. SQL filters and orders by what never changes; for the rest, candidates
 * are folded in the list's order until the page is full or a limit is reached.
 */
export async function listIntentsAsOf(
  db: Db,
  page: AsOfPage,
  asOf: AsOf,
  limits = LIMITS,
): Promise<AsOfList> {
  const filters = listOf<IntentFilter>(page.filter)
  if (filters.length === 0) return { intents: [], next: null }
  const intents: StoredIntent[] = []
  let after = page.after
  let folds = 0
  for (let statement = 0; statement < limits.statements && folds < limits.allFolds; statement++) {
    const requested = page.limit + 1 - intents.length
    const part = await scan(
      db,
      { ...page, after, requested, ...effort(requested, statement, limits) },
      asOf,
    )
    folds += part.rows.length
    for (const { place, stored } of part.rows) {
      if (stored && filters.some((filter) => passesFilter(stored, filter, asOf.chains.heads))) {
        // One more than the page holds, so there is a next page.
        if (intents.length === page.limit) return { intents, next: after ?? null }
        intents.push(stored)
      }
      after = place
    }
    if (part.end === null) return { intents, next: null }
    after = part.end
  }
  return { intents, next: after ?? null }
}

type Scanned = {
  rows: { place: IntentPlace; stored: StoredIntent | null }[]
  /** The last position scanned; null at the end of the list. */
  end: IntentPlace | null
}

type Effort = { rows: number; folds: number }

/** Folds few candidates at first, since most pass, and more with every step that wasn't enough. */
function effort(requested: number, step: number, limits: ScanLimits): Effort {
  const folds = Math.max(requested, Math.min(limits.folds, (requested + 5) * 2 ** step))
  return { rows: Math.max(requested, limits.rows), folds }
}

type Part = AsOfPage & Effort & { requested: number }

async function scan(db: Db, part: Part, asOf: AsOf): Promise<Scanned> {
  const { rows } = await scanQuery(part, asOf).execute(db)
  const candidates = rows
    .filter((row) => row.events !== null)
    .map((row) => ({ place: toPlace(row), stored: toStoredAsOf(row, asOf) }))
    .sort((a, b) => compare(part.order, a.place, b.place))
  const mark = rows.find((row) => row.events === null)
  return { rows: candidates, end: mark ? toPlace(mark) : null }
}

type ScannedRow = TimelineRow & { value: string }

/** The statement of one step. A row without events marks how far it scanned. */
export function scanQuery(part: Part, asOf: AsOf): RawBuilder<ScannedRow> {
  const filters = listOf<IntentFilter>(part.filter)
  // Ordered by creation, the cutoff bounds the index scan. In other orders later intents lie in between.
  const byCreation = part.order.by === 'createdAt'
  const rows = byCreation && !filters.some(filtersByMutable) ? part.folds : part.rows
  const { folds } = part
  const immutable = conditionSql(filters.map(immutablePart), filterConditions)
  const included = filters.map(({ not, ...own }) => own)
  const candidate = conditionSql<IntentFilter>(included, (filter) =>
    candidateConditions(filter, asOf.cutoffs),
  )
  const within = withinSql('intent', 'intent', asOf.cutoffs)
  const bound = byCreation ? sql`and intent.created_at <= ${latest(asOf)}::bigint` : sql``
  const beyond = part.after ? sql`and ${beyondSql(part.order, part.after, 'after')}` : sql``
  const order = orderBySql(part.order)
  const value = sql.raw(`intent.${toColumnName(part.order.by)}::text as value`)
  const mark = sql`select intent.source_chain_id, intent.intent_id, ${value} from intent_end as intent`
  return sql<ScannedRow>`${sql.raw(UNPREPARED)}with scanned as materialized (
      select * from cairn.intent as intent where ${immutable}
        ${bound} ${beyond} ${order} limit ${rows}),
    candidates as materialized (
      select * from scanned as intent where ${sql.raw(within)} and ${candidate} ${order} limit ${folds}),
    intent_end as (
      select * from (
        (select intent.*, 1 as step from candidates as intent ${order} offset ${folds - 1} limit 1)
        union all
        (select intent.*, 2 as step from scanned as intent ${order} offset ${rows - 1} limit 1)
      ) as ends order by step limit 1)
    select timelines.*, ${value} from (${timelinesQuery(sql`select * from candidates`, asOf)}) as timelines
      join candidates as intent on intent.source_chain_id = timelines."sourceChainId"
        and intent.intent_id = timelines."intentId"
    union all
    select source_chain_id, intent_id, null, null, null, null, value from (${mark}) as ended`
}

function latest({ cutoffs }: AsOf): number {
  return Math.max(...[...cutoffs.values()].map(({ timestamp }) => timestamp))
}

function toPlace({ value, intentId, sourceChainId }: ScannedRow): IntentPlace {
  return { value: BigInt(value), intentId, sourceChainId }
}

function compare({ direction }: IntentSortOrder, a: IntentPlace, b: IntentPlace): number {
  const way = direction === 'asc' ? 1 : -1
  if (a.value !== b.value) return a.value < b.value ? -way : way
  if (a.intentId !== b.intentId) return a.intentId < b.intentId ? -way : way
  return way * (a.sourceChainId - b.sourceChainId)
}

/** How many intents pass; null if the filter uses mutable fields, since counting would fold all intents. */
export async function countIntentsAsOf(
  db: Db,
  filter: IntentFilters,
  asOf: AsOf,
): Promise<number | null> {
  const filters = listOf<IntentFilter>(filter)
  if (filters.some(filtersByMutable)) return null
  const immutable = conditionSql(filters, filterConditions)
  const within = sql.raw(withinSql('intent', 'intent', asOf.cutoffs))
  const { rows } = await sql<{ count: number }>`${sql.raw(UNPREPARED)}select count(*) as count
    from cairn.intent as intent where ${immutable} and ${within}`.execute(db)
  return rows[0]?.count ?? 0
}
