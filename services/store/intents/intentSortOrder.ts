import { type RawBuilder, sql } from 'kysely'
import { toColumnName } from '../../../core/rows/columnName.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import { decodeCursor, encodeCursor } from '../database/paginationCursor.ts'

/** Columns to order intents by; each has an index. `settledAt` and `fee` list only settled intents. */
export const INTENT_SORT_COLUMNS = [
  'createdAt',
  'updatedAt',
  'endTime',
  'amountA',
  'reward',
  'settledAt',
  'fee',
] as const
export type IntentSortColumn = (typeof INTENT_SORT_COLUMNS)[number]

/** Amounts; the others are times. */
const AMOUNTS: ReadonlySet<IntentSortColumn> = new Set(['amountA', 'reward', 'fee'])

export type Direction = 'asc' | 'desc'

/** A total order: ties are broken by intent id, then source chain, in the same direction. */
export type IntentSortOrder = { by: IntentSortColumn; direction: Direction }

/** A position in an order, as a cursor holds it. */
export type IntentPlace = { value: bigint; intentId: bigint; sourceChainId: number }

/** Whether an order is by an amount rather than a time. */
function isByAmount({ by }: IntentSortOrder): boolean {
  return AMOUNTS.has(by)
}

/** Whether the ordering column changes during an intent's life; such lists can't be read as of a block. */
export function changesInLife({ by }: IntentSortOrder): boolean {
  return by === 'updatedAt' || by === 'settledAt' || by === 'fee'
}

/** An intent's position in an order. */
export function placeOf(source: SourceFacts, { by }: IntentSortOrder): IntentPlace {
  const { intentId, sourceChainId } = source
  return { value: BigInt(source[by] ?? 0), intentId, sourceChainId }
}

/** `order by` for rows aliased `intent`, or its reverse. */
export function orderBySql(
  { by, direction }: IntentSortOrder,
  reversed = false,
): RawBuilder<unknown> {
  const sqlDirection = (direction === 'asc') !== reversed ? 'asc' : 'desc'
  const columns = keyColumns(by).map((column) => `${column} ${sqlDirection}`)
  return sql.raw(`order by ${columns.join(', ')}`)
}

/** Rows strictly after or before a position in the order. */
export function beyondSql(
  order: IntentSortOrder,
  place: IntentPlace,
  side: 'after' | 'before',
): RawBuilder<unknown> {
  const larger = (order.direction === 'asc') === (side === 'after')
  const type = isByAmount(order) ? 'numeric' : 'bigint'
  return sql`(${sql.raw(keyColumns(order.by).join(', '))}) ${sql.raw(larger ? '>' : '<')}
    (${String(place.value)}::${sql.raw(type)}, ${String(place.intentId)}::numeric, ${place.sourceChainId}::bigint)`
}

function keyColumns(by: IntentSortColumn): string[] {
  return [`intent.${toColumnName(by)}`, 'intent.intent_id', 'intent.source_chain_id']
}

/** An intent's position in an order as opaque text. */
export function intentCursor(source: SourceFacts, order: IntentSortOrder): string {
  return placeCursor(placeOf(source, order), order)
}

/** A position in an order as opaque text. */
export function placeCursor(place: IntentPlace, order: IntentSortOrder): string {
  return encodeCursor(listName(order), [place.value, place.intentId, place.sourceChainId])
}

/** The position in an `intentCursor` of this order. @throws CursorError for anything else */
export function intentPlace(cursor: string, order: IntentSortOrder): IntentPlace {
  const kind = isByAmount(order) ? 'numeric' : 'integer'
  const values = decodeCursor(listName(order), [kind, 'numeric', 'integer'], cursor)
  const [value, intentId, sourceChainId] = values as [string, string, string]
  return {
    value: BigInt(value),
    intentId: BigInt(intentId),
    sourceChainId: Number(sourceChainId),
  }
}

function listName({ by, direction }: IntentSortOrder): string {
  return `intents ${by} ${direction}`
}
