import { is } from 'drizzle-orm'
import { getTableConfig, type IndexedColumn, PgTable } from 'drizzle-orm/pg-core'
import { schema } from '../ponder/ponderSchema.ts'

type ColumnLayout = { name: string; type: string; notNull: boolean }
export type TableLayout = {
  name: string
  columns: ColumnLayout[]
  primaryKey: string[]
  indexes: { name: string; columns: string[]; method: string }[]
}

/** PostgreSQL truncates longer names. */
const NAME_BYTES = 63

/** The tables of `ponder.schema.ts` in PostgreSQL's terms, by table name. */
export const TABLE_LAYOUTS: readonly TableLayout[] = Object.values(schema)
  .filter((table) => is(table, PgTable))
  .map(layoutOf)
  .sort((a, b) => (a.name < b.name ? -1 : 1))

function layoutOf(table: PgTable): TableLayout {
  const { name, columns, primaryKeys, indexes } = getTableConfig(table)
  const composite = primaryKeys[0]?.columns.map((column) => column.name)
  const single = columns.filter((column) => column.primary).map((column) => column.name)
  return {
    name,
    columns: columns.map((column) => ({
      name: column.name,
      type: column.getSQLType(),
      notNull: column.notNull,
    })),
    primaryKey: composite ?? single,
    indexes: indexes.map(({ config }) => {
      const indexed = config.columns.map((column) => (column as IndexedColumn).name as string)
      return {
        name: `${name}_${indexed.join('_')}_index`.slice(0, NAME_BYTES),
        columns: indexed,
        method: config.method ?? 'btree',
      }
    }),
  }
}
