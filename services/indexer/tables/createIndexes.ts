import type { ClientBase, Pool } from 'pg'
import { TABLE_LAYOUTS } from './tableLayouts.ts'

/**
 * Creates the missing indexes of a chain's tables. Ponder doesn't know them (ponderWithoutIndexes.ts): it would drop
 * each at every start after a kill, and readers of a long history would do without until it had created them again.
 *
 * Runs one statement per index without a transaction: each waits for Ponder's write to end, and holds no lock
 * afterwards.
 */
export async function createIndexes(client: ClientBase | Pool, schema: string): Promise<void> {
  const { rows } = await client.query(
    `select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1`,
    [schema],
  )
  const known = new Set(rows.map((row) => row.relname as string))
  for (const { name: table, indexes } of TABLE_LAYOUTS) {
    if (!known.has(table)) continue
    for (const { name, columns, method } of indexes) {
      if (known.has(name)) continue
      const listed = columns.map((column) => `"${column}"`).join(', ')
      await client.query(
        `create index if not exists "${name}" on "${schema}"."${table}" using ${method} (${listed})`,
      )
    }
  }
}
