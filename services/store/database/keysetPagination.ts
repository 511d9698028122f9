import { type RawBuilder, sql } from 'kysely'
import { toColumnName } from '../../../core/rows/columnName.ts'
import type { Rows, TableName } from '../../../src/projection/rowTypes.ts'
import { columnsOf, TABLES } from '../../../src/table/tableShapes.ts'
import type { Direction } from '../intents/intentSortOrder.ts'
import { selectList } from './columnSql.ts'
import type { Db } from './openDatabase.ts'
import { decodeCursor, encodeCursor } from './paginationCursor.ts'

/** A column that orders a list: trusted SQL, and its type. */
export type KeysetColumn = { sql: string; type: keyof typeof CURSOR_KINDS }

const CURSOR_KINDS = { bigint: 'integer', numeric: 'numeric', text: 'hex' } as const

/** A page of an ordered list. */
export type KeysetPage = {
  direction: Direction
  /** Only rows strictly after this position: a value, as text, for each column. */
  after?: readonly string[] | undefined
  /** Only rows strictly before this position. */
  before?: readonly string[] | undefined
  /** The last rows of the range rather than the first. */
  fromEnd: boolean
  /** One more than a page shows whether there is a next page. */
  limit: number
}

/**
 * Reads a page of `rows` (`select … from …`), ordered by `columns`, which together identify a row.
 */
export async function readPage<Row>(
  db: Db,
  rows: RawBuilder<unknown>,
  columns: readonly KeysetColumn[],
  { direction, after, before, fromEnd, limit }: KeysetPage,
  condition: RawBuilder<unknown> = sql`true`,
): Promise<readonly Row[]> {
  const ascending = direction === 'asc'
  const where = [
    condition,
    ...(after ? [beyond(columns, after, ascending)] : []),
    ...(before ? [beyond(columns, before, !ascending)] : []),
  ]
  const sqlDirection = ascending !== fromEnd ? 'asc' : 'desc'
  const order = sql.raw(columns.map((column) => `${column.sql} ${sqlDirection}`).join(', '))
  const { rows: page } = await sql<Row>`${rows} where ${sql.join(where, sql` and `)}
    order by ${order} limit ${sql.lit(limit)}`.execute(db)
  return fromEnd ? page.toReversed() : page
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

export async function countRows(db: Db, relation: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${relation}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/**
 * A table as a list with cursors. Conditions use the table's SQL name as alias: `scheduled_order.owner`.
 *
 * @param name of the list; cursors of other lists are refused
 * @param order columns that together identify a row
 */
export function tableList<Table extends TableName>(
  name: string,
  table: Table,
  order: readonly (keyof Rows[Table] & string)[],
) {
  const { sqlName } = TABLES[table]
  const relation = sql.raw(`cairn.${sqlName} as ${sqlName}`)
  const rows = sql`select ${sql.raw(selectList(table, sqlName))} from ${relation}`
  const kinds = new Map(columnsOf(table))
  const columns = order.map((column): KeysetColumn => {
    const kind = kinds.get(column)
    const type = kind === 'number' ? 'bigint' : kind === 'bigint' ? 'numeric' : 'text'
    return { sql: `${sqlName}.${toColumnName(column)}`, type }
  })
  const placeOf = (row: Pick<Rows[Table], (typeof order)[number]>) =>
    order.map((column) => String(row[column]))
  return {
    read: (db: Db, condition: RawBuilder<unknown>, page: KeysetPage) =>
      readPage<Rows[Table]>(db, rows, columns, page, condition),
    count: (db: Db, condition: RawBuilder<unknown>) =>
      countRows(db, sql`${relation} where ${condition}`),
    /** A row's position in the list. */
    placeOf,
    cursorOf: (row: Parameters<typeof placeOf>[0]) => encodeCursor(name, placeOf(row)),
    /** A cursor's position. @throws CursorError for a cursor of another list */
    placeOfCursor: (cursor: string) =>
      decodeCursor(
        name,
        columns.map(({ type }) => CURSOR_KINDS[type]),
        cursor,
      ),
  }
}
