import { keyOf } from '../projection/rowKeys.ts'
import type { ReadAsync } from '../projection/rowReader.ts'
import type { Key, Rows, TableName } from '../projection/rowTypes.ts'
import type { RowStore, Tables } from './rowStore.ts'

/** Under this symbol Ponder's copy-on-write proxies give the row they stand for. */
const ROW = Symbol.for('ponder:copyOnWrite')

/**
 * Looks rows up through Ponder's store, which keeps recently read or written rows in memory.
 *
 * Ponder wraps each row in a proxy, so that handlers may change it without changing its cache. The reducer
 * never changes what it reads but copies all of it, for which a proxy costs three calls a column: the row
 * itself saves a good part of the fold's time.
 */
export function createPonderRowReader(store: RowStore, tables: Tables): ReadAsync {
  return async <Table extends TableName>(table: Table, key: Key<Table>) => {
    const found = (await store.find(tables[table], keyOf(table, key))) as {
      [ROW]?: Rows[Table]
    } | null
    return found?.[ROW] ?? (found as Rows[Table] | null)
  }
}
