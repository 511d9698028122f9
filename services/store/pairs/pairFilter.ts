import { type RawBuilder, sql } from 'kysely'
import { columnName } from '../../../core/rows/columnName.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import {
  anyOf,
  type Choices,
  conditionSql,
  equals,
  type Filters,
  within,
} from '../database/filterSql.ts'
import type { KeysetColumn } from '../database/keyset.ts'
import type { Range } from '../intents/intentFilter.ts'

/** Directed pair: chains, and token in base units on each. */
export type Pair = { sourceChainId: number; destChainId: number; tokenA: Hex; tokenB: Hex }

/** Which pairs. Addresses in lower case. */
export type PairFilter = Choices<Pair>

/** Which rows of `cairn.pair_day`. */
export type PairDayFilter = PairFilter & {
  /** Days since 1970-01-01 UTC. */
  day?: Range<number> | undefined
}

/** Which rows of `cairn.pair_hour`. */
export type PairHourFilter = PairFilter & {
  /** Hours since 1970-01-01 00:00 UTC. */
  hour?: Range<number> | undefined
}

/** What identifies a pair, in the order in which pairs are listed. */
export const PAIR = ['sourceChainId', 'destChainId', 'tokenA', 'tokenB'] as const

/** What happened to intents. */
export type IntentCounts = {
  created: number
  bids: number
  completed: number
  cancelled: number
  expired: number
  failed: number
}

/** Their sums over rows of `cairn.pair_day` or `cairn.pair_hour`, for a select list. */
export const INTENT_COUNTS = sql.raw(
  ['created', 'bids', 'completed', 'cancelled', 'expired', 'failed']
    .map((name) => `sum(${name})::bigint as ${name}`)
    .join(', '),
)

type Alias = 'pair_day' | 'pair_hour' | 'pair_sender_day' | 'intent'

/** Whether a row aliased `pair_day`, or as named, passes. */
export function pairCondition(
  filters: Filters<PairDayFilter & PairHourFilter>,
  alias: Alias = 'pair_day',
): RawBuilder<unknown> {
  return conditionSql(filters, (filter) =>
    pairConditions(filter, (name) => `${alias}.${columnName(name)}`),
  )
}

/** A filter's own conditions. `columnOf` names a column, and is trusted. */
export function pairConditions(
  filter: PairDayFilter & PairHourFilter,
  columnOf: (name: string) => string,
): RawBuilder<unknown>[] {
  return [
    ...PAIR.flatMap((name) => [
      ...equals(columnOf(name), filter[name]),
      ...anyOf(columnOf(name), filter[`${name}In`]),
    ]),
    ...within(columnOf('day'), filter.day),
    ...within(columnOf('hour'), filter.hour),
  ]
}

/** What identifies a pair, as columns of the relation `alias` with their names as in TypeScript. */
export function pairKeyset(alias: string): KeysetColumn[] {
  return PAIR.map((name) => ({
    sql: `${alias}."${name}"`,
    type: name.endsWith('ChainId') ? 'bigint' : 'text',
  }))
}

/** The same columns of rows of `cairn.pair_day` aliased `pair_day`, for a select list. */
export const PAIR_COLUMNS = PAIR.map((name) => `pair_day.${columnName(name)} as "${name}"`).join(
  ', ',
)

/** A pair's place in lists by pair. */
export function pairPlace(pair: Pair): string[] {
  return PAIR.map((name) => String(pair[name]))
}
