import type { Change } from '../projection/change.ts'
import type { RowStore, Tables } from './rowStore.ts'

/** Writes an event's changes through Ponder's store, in their order: one flat row each. */
export async function writeTo(store: RowStore, tables: Tables, changes: Change[]): Promise<void> {
  for (const { table, operation, key, row } of changes) {
    if (operation === 'insert') await store.insert(tables[table]).values(row)
    else await store.update(tables[table], key).set(row)
  }
}
