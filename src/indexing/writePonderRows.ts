import { keyOf } from '../projection/rowKeys.ts'
import type { Change } from '../projection/rowWrite.ts'
import type { RowStore, Tables } from './rowStore.ts'

/** Writes an event's changes through Ponder's store, in their order: one flat row each. */
export async function writePonderRows(
  store: RowStore,
  tables: Tables,
  changes: Change[],
): Promise<void> {
  for (const { table, before, row } of changes) {
    if (before === null) await store.insert(tables[table]).values(row)
    else await store.update(tables[table], keyOf(table, row)).set(row)
  }
}
