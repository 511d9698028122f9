import { type RawBuilder, sql } from 'kysely'
import type { SourceFacts } from '../../../src/intent/facts.ts'
import { sqlColumn } from '../database/columns.ts'

/** Columns by which intents can be listed; each has an index. */
export const INTENT_ORDERS = ['createdAt', 'updatedAt', 'endTime', 'amountA', 'reward'] as const
export type IntentOrderBy = (typeof INTENT_ORDERS)[number]

export type Direction = 'asc' | 'desc'

/** Ties are broken by intent id, then by source chain, in the same direction: a total order. */
export type IntentOrder = { by: IntentOrderBy; direction: Direction }

/** A row's place in an order: what a cursor names. */
export type IntentPlace = { value: bigint; intentId: bigint; sourceChainId: number }

/** Where an intent stands in an order. */
export function placeOf(source: SourceFacts, { by }: IntentOrder): IntentPlace {
  const { intentId, sourceChainId } = source
  return { value: BigInt(source[by]), intentId, sourceChainId }
}

/** `order by` over rows aliased `intent`; reversed for walking backwards. */
export function orderBySql({ by, direction }: IntentOrder, reversed = false): RawBuilder<unknown> {
  const way = (direction === 'asc') !== reversed ? 'asc' : 'desc'
  const columns = keyColumns(by).map((column) => `${column} ${way}`)
  return sql.raw(`order by ${columns.join(', ')}`)
}

/** Rows strictly after a place in the order, or before it. */
export function beyondSql(
  { by, direction }: IntentOrder,
  place: IntentPlace,
  side: 'after' | 'before',
): RawBuilder<unknown> {
  const larger = (direction === 'asc') === (side === 'after')
  const type = by === 'amountA' || by === 'reward' ? 'numeric' : 'bigint'
  return sql`(${sql.raw(keyColumns(by).join(', '))}) ${sql.raw(larger ? '>' : '<')}
    (${String(place.value)}::${sql.raw(type)}, ${String(place.intentId)}::numeric, ${place.sourceChainId}::bigint)`
}

function keyColumns(by: IntentOrderBy): string[] {
  return [`intent.${sqlColumn(by)}`, 'intent.intent_id', 'intent.source_chain_id']
}
