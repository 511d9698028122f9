import { type RawBuilder, sql } from 'kysely'
import { toColumnName } from '../../../core/rows/columnName.ts'

/** A list's filter: its own conditions, which must all hold, and nested filters. */
export type Filter<Own> = Own & {
  /** Rows must pass all of these. */
  and?: readonly Filter<Own>[] | undefined
  /** Rows must pass none of these. */
  not?: readonly Filter<Own>[] | undefined
}

/** A filter, or several alternatives of which no two match the same row. */
export type Filters<Own> = Filter<Own> | readonly Filter<Own>[]

/** Splits a filter's own conditions into disjoint branches, each a list of conditions. */
type BranchesOf<Own> = (filter: Own) => readonly (readonly RawBuilder<unknown>[])[]

/** The disjoint conditions under which rows pass filters. Empty if nothing can pass. */
export function branchesSql<Own extends object>(
  filters: Filters<Own>,
  branchesOf: BranchesOf<Own>,
): RawBuilder<unknown>[] {
  return listOf<Filter<Own>>(filters).flatMap((filter) => {
    const nested = [
      ...(filter.and ?? []).map((one) => passesSql(one, branchesOf)),
      // A comparison with null is null, and passes nothing.
      ...(filter.not ?? []).map((one) => sql`${passesSql(one, branchesOf)} is not true`),
    ]
    return branchesOf(filter).map((conditions) => conjunction([...conditions, ...nested]))
  })
}

/** Whether a row passes filters, as one condition. */
function passesSql<Own extends object>(
  filters: Filters<Own>,
  branchesOf: BranchesOf<Own>,
): RawBuilder<unknown> {
  const branches = branchesSql(filters, branchesOf).map((branch) => sql`(${branch})`)
  return branches.length === 0 ? sql`false` : sql`(${sql.join(branches, sql` or `)})`
}

/** Whether a row passes filters without branches, as one condition. */
export function conditionSql<Own extends object>(
  filters: Filters<Own>,
  conditionsOf: (filter: Own) => readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  return passesSql(filters, (filter) => [conditionsOf(filter)])
}

/**
 * Filter fields: each takes one value, or with the suffix `In` a list of values. Absent fields don't restrict; an empty list
 * matches nothing.
 */
export type Choices<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined } & {
  [Name in keyof Fields & string as `${Name}In`]?: readonly Fields[Name][] | undefined
}

/** Conditions of these filter fields on the columns with the same names in the relation `alias`. */
export function choicesSql<Name extends string>(
  alias: string,
  names: readonly Name[],
  filter: Choices<Record<Name, number | string>>,
): RawBuilder<unknown>[] {
  const values: Record<string, unknown> = filter
  return names.flatMap((name) => {
    const column = `${alias}.${toColumnName(name)}`
    return [
      ...equals(column, values[name] as number | string | undefined),
      ...anyOf(column, values[`${name}In`] as readonly (number | string)[] | undefined),
    ]
  })
}

/** A column has one of the values; no condition without a list, never true for an empty one. */
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

/** A column has the value; no condition without one. */
export function equals(column: string, value: number | string | undefined): RawBuilder<unknown>[] {
  return value === undefined ? [] : [sql`${sql.raw(column)} = ${literal(value)}`]
}

/** A column is in the range, ends included; no condition for an open end. */
export function within(
  column: string,
  { from, to }: { from?: number | bigint | undefined; to?: number | bigint | undefined } = {},
): RawBuilder<unknown>[] {
  return [
    ...(from === undefined ? [] : [sql`${sql.raw(column)} >= ${literal(from)}`]),
    ...(to === undefined ? [] : [sql`${sql.raw(column)} <= ${literal(to)}`]),
  ]
}

/** A parameter with the column's type, so that the column's index can be used. */
function literal(value: number | bigint | string): RawBuilder<unknown> {
  if (typeof value === 'string') return sql`${value}`
  return typeof value === 'bigint' ? sql`${String(value)}::numeric` : sql`${value}::bigint`
}

/** A number by chain, written into the statement; never user input. Null for a chain without one. */
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

/** All filters, nested ones included. */
export function everyPart<Own extends object>(filters: Filters<Own>): Filter<Own>[] {
  return listOf<Filter<Own>>(filters).flatMap((filter) => [
    filter,
    ...everyPart<Own>(filter.and ?? []),
    ...everyPart<Own>(filter.not ?? []),
  ])
}

export function listOf<Own extends object>(filters: Own | readonly Own[]): readonly Own[] {
  return Array.isArray(filters) ? filters : [filters as Own]
}

function conjunction(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}
