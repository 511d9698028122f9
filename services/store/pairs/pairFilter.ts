import { type RawBuilder, sql } from 'kysely'
import { toColumnName } from '../../../core/rows/columnName.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import {
  anyOf,
  type Choices,
  conditionSql,
  equals,
  type Filters,
  within,
} from '../database/filterSql.ts'
import type { KeysetColumn } from '../database/keysetPagination.ts'
import type { Range } from '../intents/intentFilter.ts'

/** A directed pair: a token on the source chain and one on the destination chain. */
export type Pair = { sourceChainId: number; destChainId: number; tokenA: Hex; tokenB: Hex }

/** Filters pairs. Addresses in lower case. */
export type PairFilter = Choices<Pair>

/** Filters rows of `cairn.pair_day`. */
export type PairDayFilter = PairFilter & {
  /** Days since 1970-01-01 UTC. */
  day?: Range<number> | undefined
}

/** Filters rows of `cairn.pair_hour`. */
export type PairHourFilter = PairFilter & {
  /** Hours since 1970-01-01 00:00 UTC. */
  hour?: Range<number> | undefined
}

/** The columns of a pair, in the order in which pairs are sorted. */
export const PAIR = ['sourceChainId', 'destChainId', 'tokenA', 'tokenB'] as const

const COUNTS = ['created', 'bids', 'completed', 'cancelled', 'expired', 'failed'] as const

export type IntentCounts = Record<(typeof COUNTS)[number], number>

/** Select list that sums them over rows of `cairn.pair_day` or `cairn.pair_hour`. */
export const INTENT_COUNTS = sql.raw(
  COUNTS.map((name) => `sum(${name})::bigint as ${name}`).join(', '),
)

/**
 * Sums histograms, as an expression.
 *
 * @param times what follows `from`: rows `time`, of `jsonb_each_text`
 */
export function sumHistograms(times: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce((select jsonb_object_agg(bucket, number) from (
    select time.key as bucket, sum(time.value::bigint) as number
    from ${times} group by 1) as times), '{}')`
}

type Alias = 'pair_day' | 'pair_hour' | 'pair_sender_day' | 'intent'

/** Whether a row with this alias passes. */
export function pairCondition(
  filters: Filters<PairDayFilter & PairHourFilter>,
  alias: Alias = 'pair_day',
): RawBuilder<unknown> {
  return conditionSql(filters, (filter) =>
    pairConditions(filter, (name) => `${alias}.${toColumnName(name)}`),
  )
}

/** A filter's own conditions. `columnOf` returns trusted SQL. */
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

/** A pair's columns in the relation `alias`, with their TypeScript names. */
export function pairKeyset(alias: string): KeysetColumn[] {
  return PAIR.map((name) => ({
    name,
    sql: `${alias}."${name}"`,
    type: name.endsWith('ChainId') ? 'bigint' : 'text',
  }))
}

/** Select list of a pair's columns, from rows aliased `pair_day`. */
export const PAIR_COLUMNS = PAIR.map((name) => `pair_day.${toColumnName(name)} as "${name}"`).join(
  ', ',
)

/** A pair's position in lists by pair. */
export function pairPlace(pair: Pair): string[] {
  return PAIR.map((name) => String(pair[name]))
}
