import { type RawBuilder, sql } from 'kysely'
import type { Direction } from '../intents/intentOrder.ts'

/** A column that a list is ordered by: trusted SQL text, and the type of its values. */
export type KeysetColumn = { sql: string; type: 'bigint' | 'numeric' | 'text' }

/** A part of an ordered list. */
export type KeysetPage = {
  direction: Direction
  /** Only rows strictly after this place: a value, as text, for each column. */
  after?: readonly string[] | undefined
  /** Only rows strictly before this place. */
  before?: readonly string[] | undefined
  /** The last rows of the range rather than the first. */
  fromEnd: boolean
  /** Rows at most. Ask for one more than a page to learn whether there is a next page. */
  limit: number
}

/**
 * `where … order by … limit …` of a list over `columns`, which together identify a row. Rows come
 * reversed when taken from the end: see `inOrder`.
 */
export function keysetSql(
  columns: readonly KeysetColumn[],
  conditions: readonly RawBuilder<unknown>[],
  { direction, after, before, fromEnd, limit }: KeysetPage,
): RawBuilder<unknown> {
  const ascending = direction === 'asc'
  const where = [
    sql`true`,
    ...conditions,
    ...(after ? [beyond(columns, after, ascending)] : []),
    ...(before ? [beyond(columns, before, !ascending)] : []),
  ]
  const way = ascending !== fromEnd ? 'asc' : 'desc'
  const order = sql.raw(columns.map((column) => `${column.sql} ${way}`).join(', '))
  return sql`where ${sql.join(where, sql` and `)} order by ${order} limit ${sql.lit(limit)}`
}

/** The page's rows in the list's own order. */
export function inOrder<Row>(rows: readonly Row[], { fromEnd }: KeysetPage): readonly Row[] {
  return fromEnd ? rows.toReversed() : rows
}

function beyond(
  columns: readonly KeysetColumn[],
  place: readonly string[],
  larger: boolean,
): RawBuilder<unknown> {
  const names = sql.raw(columns.map((column) => column.sql).join(', '))
  const values = columns.map(({ type }, index) => sql`${place[index]}::${sql.raw(type)}`)
  return sql`(${names}) ${sql.raw(larger ? '>' : '<')} (${sql.join(values)})`
}
