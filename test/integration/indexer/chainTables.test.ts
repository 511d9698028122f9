import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createViews, dropFormerSchemas } from '../../../services/indexer/tables/createViews.ts'
import { MigrationMismatchError, migrate } from '../../../services/store/database/migrate.ts'
import { createChainTables, setChainClock } from '../../../tools/seed/createChainTables.ts'
import {
  createPoolUnderTest,
  type PostgresUnderTest,
  startPostgresUnderTest,
} from '../../postgresUnderTest.ts'

const BASE = 84532
const HORIZEN = 2651420

let postgres: PostgresUnderTest
let client: pg.Client

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  client = await postgres.connect()
})

afterAll(async () => {
  await client?.end()
  await postgres?.stop()
})

test('migrations run once, even when several processes start together', async () => {
  const runs = await Promise.all([1, 2, 3].map(() => migrate(postgres.databaseUrl)))
  expect(runs.map((names) => names.length).sort()).toEqual([0, 0, runs.flat().length])
  expect(runs.flat()).toContain('0001_app.sql')
})

test('a migration that was changed after it had been applied is refused', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'cairn-changed-'))
  const changed = join(directory, 'migrations')
  const migrations = new URL('../../../services/store/migrations', import.meta.url)
  await cp(migrations, changed, { recursive: true })
  await writeFile(join(changed, '0001_app.sql'), 'select 1')
  await expect(migrate(postgres.databaseUrl, changed)).rejects.toThrow(MigrationMismatchError)
  await rm(directory, { recursive: true, force: true })
})

test('views are empty without chains, then show every chain', async () => {
  await createViews(client, [])
  expect((await client.query('select * from cairn.intent')).rowCount).toBe(0)
  expect((await client.query('select * from cairn.chain_clock')).rowCount).toBe(0)

  const chains = [
    { chainId: BASE, chainName: 'base_sepolia', schema: `cairn_${BASE}_seeded` },
    { chainId: HORIZEN, chainName: 'horizen_testnet', schema: `cairn_${HORIZEN}_seeded` },
  ]
  for (const chain of chains) await createChainTables(client, { ...chain, triggers: true })
  await createViews(client, chains)
  for (const { chainId, schema } of chains) {
    await client.query(`insert into "${schema}".bridge_token values ($1, '0xaa', 1, 2, 1, true)`, [
      chainId,
    ])
  }
  const { rows } = await client.query('select chain_id from cairn.bridge_token order by chain_id')
  expect(rows.map((row) => Number(row.chain_id))).toEqual([BASE, HORIZEN])

  await setChainClock(client, chains[0]!.schema, {
    chainId: BASE,
    chainName: 'base_sepolia',
    blockNumber: 120,
    timestamp: 1_800_000_000,
    finalizedBlock: 90,
  })
  const clock = await client.query('select * from cairn.chain_clock where chain_id = $1', [BASE])
  expect(clock.rows).toEqual([
    {
      chain_id: String(BASE),
      timestamp: '1800000000',
      block_number: '120',
      safe_block: '90',
      finalized_block: '90',
    },
  ])
})

test('readers get no error while the views are replaced', async () => {
  const chains = [BASE, HORIZEN].map((chainId) => ({ chainId, schema: `cairn_${chainId}_seeded` }))
  const pool = createPoolUnderTest({ connectionString: postgres.databaseUrl, max: 8 })
  let replacing = true
  let reads = 0
  const read = async () => {
    while (replacing) {
      await pool.query(
        `select 1 from cairn.intent i left join cairn.delivery d using (source_chain_id, intent_id)
         join cairn.chain_clock c on c.chain_id = i.source_chain_id left join cairn.bid b on true`,
      )
      reads += 1
    }
  }
  const replace = async () => {
    for (let round = 0; round < 25; round += 1) {
      await client.query('begin')
      await createViews(client, round % 2 ? chains : chains.slice(0, 1))
      await client.query('commit')
      await dropFormerSchemas(client)
    }
    await client.query('begin')
    await createViews(client, chains)
    await client.query('commit')
  }
  const replaced = replace().finally(() => {
    replacing = false
  })
  await Promise.all([replaced, ...Array.from({ length: 6 }, read)])
  await pool.end()
  expect(reads).toBeGreaterThan(100)
})

test('a keyset page over all chains merges their indexes instead of sorting', async () => {
  await client.query('set enable_seqscan = off')
  const { rows } = await client.query(
    'explain select * from cairn.intent order by created_at desc, intent_id desc limit 50',
  )
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  await client.query('reset enable_seqscan')
  expect(plan).toContain('Merge Append')
  expect(plan).toContain('intent_created_at_intent_id_index')
  expect(plan).not.toContain('Sort  (')
})

test('writing, changing and reverting a row is logged and announced; an orphan is kept, then restored', async () => {
  const heard: { table: string; operation: string; sequence: string; intentId: string }[] = []
  client.on('notification', ({ channel, payload }) => {
    if (channel === 'cairn_change') heard.push(JSON.parse(payload ?? ''))
  })
  await client.query('listen cairn_change')
  const event = `"cairn_${BASE}_seeded".event`
  const insert = `insert into ${event} values (${BASE}, 7, 0, '0xb10c', 1800000000, '0x7a', '0xf0', 'IntentCreated', ${BASE}, 18446744073709551617, '{}')`
  const orphans = 'select cause, restored_at is null as gone from app.orphaned_event'

  await client.query(insert)
  await client.query(`update ${event} set block_timestamp = 1800000000`)
  await client.query(`update ${event} set block_timestamp = 1800000001`)
  await client.query(`delete from ${event}`)
  expect((await client.query(orphans)).rows).toEqual([{ cause: 'reorg', gone: true }])
  await client.query(insert)
  expect((await client.query(orphans)).rows).toEqual([{ cause: 'reorg', gone: false }])

  // What a restart of Ponder takes back and writes again is no orphan.
  await client.query(`set application_name = 'cairn_${BASE}_seeded_internal'`)
  await client.query('delete from app.orphaned_event')
  await client.query(`delete from ${event}`)
  expect((await client.query(orphans)).rows).toEqual([{ cause: 'resume', gone: true }])
  await client.query(insert)
  expect((await client.query(orphans)).rows).toEqual([])

  expect(heard.map(({ table, operation }) => `${operation} ${table}`)).toEqual([
    'insert event',
    'update event',
    'delete event',
    'insert event',
    'delete event',
    'insert event',
  ])
  const sequences = heard.map(({ sequence }) => BigInt(sequence))
  expect(sequences).toEqual([...sequences].sort((a, b) => (a < b ? -1 : 1)))
  expect(sequences[0]).toBeGreaterThan(1_600_000_000_000_000n)
  expect(heard[0]?.intentId).toBe('18446744073709551617')
})
