import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FORGOTTEN_TABLES, resetRelayerState } from '../../../devnet/resetRelayerState.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

/** The indexer looks after its own, and a lease stands for nothing done on a chain. */
const KEPT = [
  ...['chain_anchor', 'change_log', 'orphaned_event', 'projection', 'sender'],
  // Registrations stay, as recipients' do.
  'webhook_endpoint',
]

const SAFE = `0x${'5a'.repeat(20)}`

let postgres: PostgresUnderTest
let client: pg.Client
beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  await migrate(postgres.databaseUrl)
  client = await postgres.connect()
})
afterAll(() => postgres?.stop())

test('every table about chains is either reset or listed as kept', async () => {
  const { rows } = await client.query(
    `select distinct table_name as name from information_schema.columns
     where table_schema = 'app' and column_name in ('chain_id', 'source_chain_id')`,
  )
  const forgotten = new Set(FORGOTTEN_TABLES)
  const rest = rows.map(({ name }) => name).filter((name) => !forgotten.has(name))
  expect(rest.sort()).toEqual(KEPT.toSorted())
})

test('issued addresses, followed Safes, paid gas, orders and solver journals are reset; registrations are kept', async () => {
  await client.query(
    `insert into app.recipient values (sha256('a'), decode(repeat('04', 65), 'hex'), decode(repeat('04', 65), 'hex'));
     insert into app.stealth_entry (tag, chain_id, intent_id, stealth_address, ephemeral_pub_key,
       view_tag, safe_address, salt_nonce, ticket, created_at)
     values (sha256('a'), 1, 1, '${SAFE}', decode(repeat('04', 65), 'hex'), 1, '${SAFE}', 0, '', 0);
     insert into app.followed_safe (chain_id, safe_address) values (1, '${SAFE}');
     insert into app.transfer_position values (1, 5);
     insert into app.transfer_checkpoint values (1, 4, '0x', 0);
     insert into app.safe_balance (chain_id, safe_address, token, is_listed, first_block, last_block)
     values (1, '${SAFE}', '${SAFE}', true, 1, 1);
     insert into app.recovery (chain_id, bridge, next_block) values (1, '0x', 900);
     insert into app.sponsored_client values (now(), sha256('a'), 100)`,
  )
  for (const name of ['cairn_orders', 'cairn_solver_1'])
    await client.query(`create database ${name}`)
  await resetRelayerState(postgres.databaseUrl)
  for (const table of FORGOTTEN_TABLES) {
    expect([table, (await client.query(`select from app.${table}`)).rowCount]).toEqual([table, 0])
  }
  expect((await client.query('select from app.recipient')).rowCount).toBe(1)
  const databases = `select from pg_database where datname like 'cairn\\_solver%' or datname = 'cairn_orders'`
  expect((await client.query(databases)).rowCount).toBe(0)
})
