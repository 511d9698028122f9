import { type RawBuilder, sql } from 'kysely'
import { columnName } from '../../../core/rows/columnName.ts'

/** A filter of a list: conditions of its own that must all hold, and beside them whole filters. */
export type Filter<Own> = Own & {
  /** Only what passes each of these. */
  and?: readonly Filter<Own>[] | undefined
  /** Nothing that matches one of these. */
  not?: readonly Filter<Own>[] | undefined
}

/** A filter, or several alternatives of which no row matches two. */
export type Filters<Own> = Filter<Own> | readonly Filter<Own>[]

/** How a filter's own conditions can be met: disjoint alternatives, each a list of conditions. */
type WaysOf<Own> = (filter: Own) => readonly (readonly RawBuilder<unknown>[])[]

/** The ways to match filters, as disjoint conditions. Empty when nothing can match. */
export function waysSql<Own extends object>(
  filters: Filters<Own>,
  waysOf: WaysOf<Own>,
): RawBuilder<unknown>[] {
  return listOf(filters).flatMap((filter) => {
    const beside = [
      ...(filter.and ?? []).map((one) => passesSql(one, waysOf)),
      // A null matches no filter on it.
      ...(filter.not ?? []).map((one) => sql`${passesSql(one, waysOf)} is not true`),
    ]
    return waysOf(filter).map((conditions) => conjunction([...conditions, ...beside]))
  })
}

/** Whether a row passes filters, as one condition. */
function passesSql<Own extends object>(
  filters: Filters<Own>,
  waysOf: WaysOf<Own>,
): RawBuilder<unknown> {
  const ways = waysSql(filters, waysOf).map((way) => sql`(${way})`)
  return ways.length === 0 ? sql`false` : sql`(${sql.join(ways, sql` or `)})`
}

/** The same for filters whose own conditions are met in one way. */
export function conditionSql<Own extends object>(
  filters: Filters<Own>,
  conditionsOf: (filter: Own) => readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  return passesSql(filters, (filter) => [conditionsOf(filter)])
}

/**
 * Fields by which a list is filtered: each names one value, or with `In` behind it any of several. Absent
 * ones don't restrict, and an empty list matches nothing.
 */
export type Choices<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined } & {
  [Name in keyof Fields & string as `${Name}In`]?: readonly Fields[Name][] | undefined
}

/** What these fields of a filter ask of the columns of the same names in the relation `alias`. */
export function choicesSql<Name extends string>(
  alias: string,
  names: readonly Name[],
  filter: Choices<Record<Name, number | string>>,
): RawBuilder<unknown>[] {
  const given: Record<string, unknown> = filter
  return names.flatMap((name) => {
    const column = `${alias}.${columnName(name)}`
    return [
      ...equals(column, given[name] as number | string | undefined),
      ...anyOf(column, given[`${name}In`] as readonly (number | string)[] | undefined),
    ]
  })
}

/** That a column has one of the values: nothing for no list, and nothing passes an empty one. */
export function anyOf(
  column: string,
  values: readonly (number | string)[] | undefined,
): RawBuilder<unknown>[] {
  if (values === undefined) return []
  const type = typeof values[0] === 'number' ? 'bigint' : 'text'
  return [
    values.length === 0
      ? sql`false`
      : sql`${sql.raw(column)} = any(${[...values]}::${sql.raw(type)}[])`,
  ]
}

/** That a column has the value; no condition for none. */
export function equals(column: string, value: number | string | undefined): RawBuilder<unknown>[] {
  return value === undefined ? [] : [sql`${sql.raw(column)} = ${literal(value)}`]
}

/** That a column is in the range, both ends included; no condition for an open end. */
export function within(
  column: string,
  { from, to }: { from?: number | bigint | undefined; to?: number | bigint | undefined } = {},
): RawBuilder<unknown>[] {
  return [
    ...(from === undefined ? [] : [sql`${sql.raw(column)} >= ${literal(from)}`]),
    ...(to === undefined ? [] : [sql`${sql.raw(column)} <= ${literal(to)}`]),
  ]
}

/** Typed as its column is, so that the column's index serves. */
function literal(value: number | bigint | string): RawBuilder<unknown> {
  if (typeof value === 'string') return sql`${value}`
  return typeof value === 'bigint' ? sql`${String(value)}::numeric` : sql`${value}::bigint`
}

/** A number of each chain, ours and never input, written into the statement; null where there is none. */
export function byChainSql<Chain>(
  chainColumn: string,
  chains: ReadonlyMap<number, Chain>,
  read: (chain: Chain) => number | undefined,
): string {
  const cases = [...chains].flatMap(([id, chain]) => {
    const value = read(chain)
    return value === undefined ? [] : [`when ${BigInt(id)} then ${BigInt(value)}`]
  })
  return cases.length === 0 ? 'null::bigint' : `(case ${chainColumn} ${cases.join(' ')} end)`
}

/** Each filter, and each nested one. */
export function everyPart<Own extends object>(filters: Filters<Own>): Filter<Own>[] {
  return listOf(filters).flatMap((filter) => [
    filter,
    ...everyPart<Own>(filter.and ?? []),
    ...everyPart<Own>(filter.not ?? []),
  ])
}

function listOf<Own extends object>(filters: Filters<Own>): readonly Filter<Own>[] {
  return Array.isArray(filters) ? filters : [filters as Filter<Own>]
}

function conjunction(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}
