import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { sqlColumn } from '../database/columns.ts'
import type { KeysetColumn } from '../database/keyset.ts'
import type { Range } from './intentFilter.ts'

/** Which rows of `cairn.pair_day` or `cairn.pair_hour`; absent fields don't restrict. Addresses in lower case. */
export type PairDayFilter = {
  sourceChainId?: number | undefined
  destChainId?: number | undefined
  tokenA?: Hex | undefined
  tokenB?: Hex | undefined
  /** Days since 1970-01-01 UTC. */
  day?: Range<number> | undefined
}

export type PairHourFilter = Omit<PairDayFilter, 'day'> & {
  /** Hours since 1970-01-01 00:00 UTC. */
  hour?: Range<number> | undefined
}

const PAIR = ['sourceChainId', 'destChainId', 'tokenA', 'tokenB'] as const

/** The filter's conditions on a row aliased `pair_day`, or as named. */
export function pairConditions(
  filter: PairDayFilter & PairHourFilter,
  alias: 'pair_day' | 'pair_hour' | 'pair_sender_day' = 'pair_day',
): RawBuilder<unknown>[] {
  const column = (name: string) => sql.raw(`${alias}.${sqlColumn(name)}`)
  const conditions = PAIR.filter((name) => filter[name] !== undefined).map(
    (name) => sql`${column(name)} = ${filter[name]}`,
  )
  for (const period of ['day', 'hour'] as const) {
    const { from, to } = filter[period] ?? {}
    if (from !== undefined) conditions.push(sql`${column(period)} >= ${from}::bigint`)
    if (to !== undefined) conditions.push(sql`${column(period)} <= ${to}::bigint`)
  }
  return conditions
}

/** What identifies a pair, as columns of the relation `alias` with their names as in TypeScript. */
export function pairKeyset(alias: string): KeysetColumn[] {
  return PAIR.map((name) => ({
    sql: `${alias}."${name}"`,
    type: name.endsWith('ChainId') ? 'bigint' : 'text',
  }))
}

/** The same columns of rows of `cairn.pair_day` aliased `pair_day`, for a select list. */
export const PAIR_COLUMNS = PAIR.map((name) => `pair_day.${sqlColumn(name)} as "${name}"`).join(
  ', ',
)

/** Directed pair: chains, and token in base units on each. */
export type Pair = { sourceChainId: number; destChainId: number; tokenA: Hex; tokenB: Hex }

/** A pair's place in lists by pair. */
export function pairPlace({ sourceChainId, destChainId, tokenA, tokenB }: Pair): string[] {
  return [String(sourceChainId), String(destChainId), tokenA, tokenB]
}
