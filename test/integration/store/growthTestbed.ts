import type pg from 'pg'
import { migrateOrdersDatabase } from '../../../services/orders/migrateOrdersDatabase.ts'
import { migrateJournal } from '../../../services/solver/journal/migrateJournal.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

/** Rows of a table of which a read needs a few: enough to show in the plan. */
export const ROWS = 20_000
/** So few that no plan that reads a whole table reads as few. */
export const FEW = 200
export const CHAIN = 84_532
export const ACCOUNT = `0x${'ac'.repeat(20)}` as const
export const BRIDGE = `0x${'b1'.repeat(20)}` as const

export let database: OpenDatabase
export let client: pg.Client
let postgres: PostgresUnderTest

/** Opens the databases of all roles, with a table's worth of finished work. */
export async function openTestbed(): Promise<void> {
  // Autovacuum would add reads at random times.
  postgres = await startPostgresUnderTest({ autovacuum: 'off' })
  const { databaseUrl } = postgres
  await migrateJournal(databaseUrl)
  await migrateOrdersDatabase(databaseUrl)
  // One connection, whose statistics are known after each read.
  database = openDatabase({ databaseUrl, connections: 1 })
  client = await postgres.connect()
  await client.query(
    `insert into app.transaction (kind, chain_id, effect, account, to_address, data, state, nonce, tx_hash, succeeded,
       payer, requested_at, changed_at)
     select (array['bid', 'deposit', 'deliver', 'fundOrder', 'fireTranche'])[1 + n % 5], $1, n || ':0', $2, $3, '0x', 'confirmed', n,
       '0x' || n, true, $2, now() - interval '3 days', now() - interval '3 days' from generate_series(1, $4::integer) n`,
    [CHAIN, ACCOUNT, BRIDGE, ROWS],
  )
  await client.query(
    `insert into app.reaction (kind, source_chain_id, intent_id, state, done_at)
     select 'settle', $1, n, 'done', now() - interval '1 day' from generate_series(1, $2::integer) n`,
    [CHAIN, ROWS],
  )
  await client.query('analyze')
}

/** Closes what `openTestbed` opened. */
export async function closeTestbed(): Promise<void> {
  await database?.close()
  await postgres?.stop()
}

/** How many rows of a table `work` reads. */
export async function rowsRead(table: string, work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    await database.pool.query('select pg_stat_force_next_flush()')
    const { rows } = await database.pool.query(
      `select seq_tup_read + coalesce(idx_tup_fetch, 0) as "rows" from pg_stat_user_tables where relid = $1::regclass`,
      [table],
    )
    return Number(rows[0].rows)
  }
  const before = await read()
  await work()
  return (await read()) - before
}

/** Refuses statements that insert or delete more rows at once. */
export async function refuseMany(
  table: string,
  operation: 'insert' | 'update' | 'delete',
  most: number,
): Promise<void> {
  const rows = operation === 'delete' ? 'old table' : 'new table'
  await client.query(
    `create or replace function refuse_many() returns trigger language plpgsql as $$
     begin
       if (select count(*) from changed) > tg_argv[0]::integer then raise 'too many at once'; end if;
       return null;
     end $$;
     create trigger refuse_many after ${operation} on ${table} referencing ${rows} as changed
     for each statement execute function refuse_many(${most})`,
  )
}
