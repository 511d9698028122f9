import type { Pool } from 'pg'

/**
 * Drops the triggers with which a Ponder that was killed followed its live rows; the next one makes them anew
 * before its first live block.
 *
 * By itself that one would drop them all in a single transaction, table after table, each locked against
 * readers: whoever had read one table and came to the next would wait for it while it waits for them, until
 * PostgreSQL ends one of the two after a second. Here no two tables are locked at once.
 *
 * The caller holds the schema's `ChainLock`, and no Ponder is connected.
 */
export async function dropPonderTriggers(pool: Pool, schema: string): Promise<void> {
  const { rows } = await pool.query(
    `select format('drop trigger if exists %I on %I.%I', t.tgname, n.nspname, c.relname) as statement
     from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and not t.tgisinternal and t.tgname not like 'cairn\\_%'`,
    [schema],
  )
  for (const { statement } of rows) await pool.query(statement)
}
