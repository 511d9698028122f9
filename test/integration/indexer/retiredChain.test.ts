import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { takeChainLock } from '../../../services/indexer/chainLock.ts'
import { ensureViews } from '../../../services/indexer/tables/activateSchema.ts'
import { readChainStates } from '../../../services/store/chains/readChainStates.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { createChainTables, setChainClock } from '../../../tools/seed/createChainTables.ts'
import {
  createPoolUnderTest,
  type PostgresUnderTest,
  startPostgresUnderTest,
} from '../../postgresUnderTest.ts'
import { until } from '../../rig/until.ts'

const CHAINS = [
  { chainId: 84_532, chainName: 'base_sepolia', schema: 'cairn_84532_test' },
  { chainId: 2_651_420, chainName: 'horizen_testnet', schema: 'cairn_2651420_test' },
]

let postgres: PostgresUnderTest
let pool: pg.Pool
let database: OpenDatabase

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  const { databaseUrl } = postgres
  await migrate(databaseUrl)
  const client = await postgres.connect()
  for (const chain of CHAINS) {
    await createChainTables(client, chain)
    await setChainClock(client, chain.schema, {
      ...chain,
      blockNumber: 7,
      timestamp: 1_700_000_000,
    })
    await client.query(`insert into "${chain.schema}".escrow values ($1, '0xaa', 1, 0, 0, 0, 0)`, [
      chain.chainId,
    ])
  }
  pool = createPoolUnderTest({ connectionString: databaseUrl, max: 2 })
  database = openDatabase({ databaseUrl })
})

afterAll(async () => {
  await database?.close()
  await pool?.end()
  await postgres?.stop()
})

async function shown() {
  const { rows } = await pool.query('select chain_id from cairn.escrow order by 1')
  const { ready, backfilling } = await readChainStates(database.db)
  return {
    rows: rows.map(({ chain_id }) => Number(chain_id)),
    ready: ready.map(({ chainId }) => chainId),
    backfilling: backfilling.map(({ chainId }) => chainId),
  }
}

test('a chain removed from the configuration is no longer shown', async () => {
  await ensureViews(pool, [84_532, 2_651_420])
  const both = [84_532, 2_651_420]
  expect(await shown()).toEqual({ rows: both, ready: both, backfilling: [] })
  await ensureViews(pool, [84_532])
  expect(await shown()).toEqual({ rows: [84_532], ready: [84_532], backfilling: [] })
  await ensureViews(pool, [])
  expect(await shown()).toEqual({ rows: [], ready: [], backfilling: [] })
})

test('a chain removed during its first backfill is no longer announced', async () => {
  const filling = { chainId: 80_002, schema: 'cairn_80002_test' }
  await pool.query(
    `insert into app.projection (schema_name, chain_id, chain_name, build) values ($1, $2, 'polygon_amoy', 'test')`,
    [filling.schema, filling.chainId],
  )
  await ensureViews(pool, [filling.chainId])
  expect((await shown()).backfilling).toEqual([filling.chainId])
  const lock = await takeChainLock(postgres.databaseUrl, filling.schema)
  await ensureViews(pool, [])
  expect((await shown()).backfilling).toEqual([filling.chainId])
  await lock?.release()
  // The server may notice a moment later that the connection which held it is gone.
  await until(async () => {
    await ensureViews(pool, [])
    return (await shown()).backfilling.length === 0
  }, 'the chain is not on its way any more')
})

test('a removed chain’s tables are kept for its return', async () => {
  const { rows } = await pool.query('select open from cairn_2651420_test.escrow')
  expect(rows).toHaveLength(1)
})
