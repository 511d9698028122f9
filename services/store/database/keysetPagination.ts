import { type RawBuilder, sql } from 'kysely'
import { toColumnName } from '../../../core/rows/columnName.ts'
import type { Rows, TableName } from '../../../src/projection/rowTypes.ts'
import { columnsOf, TABLES } from '../../../src/table/tableShapes.ts'
import type { Direction } from '../intents/intentSortOrder.ts'
import { selectList } from './columnSql.ts'
import type { Db } from './openDatabase.ts'
import { decodeCursor, encodeCursor } from './paginationCursor.ts'

/** A column that orders a list: its name in a row, trusted SQL, and its type. */
export type KeysetColumn = { name: string; sql: string; type: keyof typeof CURSOR_KINDS }

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

/** Cursors of a list's rows. @param list its name: cursors of other lists are refused */
export function keysetCursors<Row extends object>(list: string, columns: readonly KeysetColumn[]) {
  const kinds = columns.map(({ type }) => CURSOR_KINDS[type])
  return {
    cursorOf: (row: Row) =>
      encodeCursor(
        list,
        columns.map(({ name }) => String(row[name as keyof Row])),
      ),
    /** A cursor's position. @throws CursorError for a cursor of another list */
    placeIn: (cursor: string) => decodeCursor(list, kinds, cursor),
  }
}

type ListSource<Filter> = {
  name: string
  /** Trusted SQL of the rows' columns. Default: all of the relation's. */
  select?: string
  relation: RawBuilder<unknown>
  /** Columns that together identify a row. */
  columns: readonly KeysetColumn[]
  /** Whether a row passes. */
  conditionOf: (filter: Filter) => RawBuilder<unknown>
}

/** A filtered list with cursors. */
export function keysetList<Filter, Row extends object>({
  name,
  select = '*',
  relation,
  columns,
  conditionOf,
}: ListSource<Filter>) {
  const rows = sql`select ${sql.raw(select)} from ${relation}`
  return {
    list: (db: Db, filter: Filter, page: KeysetPage) =>
      readPage<Row>(db, rows, columns, page, conditionOf(filter)),
    count: (db: Db, filter: Filter) => countRows(db, sql`${relation} where ${conditionOf(filter)}`),
    ...keysetCursors<Row>(name, columns),
  }
}

/** A table as such a list. Conditions use the table's SQL name as alias: `scheduled_order.owner`. */
export function tableList<Table extends TableName, Filter>(
  name: string,
  table: Table,
  order: readonly (keyof Rows[Table] & string)[],
  conditionOf: (filter: Filter) => RawBuilder<unknown>,
) {
  const { sqlName } = TABLES[table]
  const kinds = new Map(columnsOf(table))
  const columns = order.map((column): KeysetColumn => {
    const kind = kinds.get(column)
    const type = kind === 'number' ? 'bigint' : kind === 'bigint' ? 'numeric' : 'text'
    return { name: column, sql: `${sqlName}.${toColumnName(column)}`, type }
  })
  const relation = sql.raw(`cairn.${sqlName} as ${sqlName}`)
  const select = selectList(table, sqlName)
  return keysetList<Filter, Rows[Table]>({ name, select, relation, columns, conditionOf })
}
