import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { prefill } from '../../../services/indexer/prefill/prefill.ts'
import { benchBridge, growChain, growingAnvil } from '../../bench/backfill/growChain.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { type FaultyRpc, startFaultyRpc } from './faultyRpc.ts'
import { readCache, withClient } from './ponderRun.ts'

let postgres: PostgresUnderTest
let anvil: RunningAnvil
let faulty: FaultyRpc
let whole: string

const chain = () => ({
  ...{ name: 'base_sepolia', chainId: 84532, rpcUrls: [faulty.url] },
  ...{ bridge: benchBridge, startBlock: 0, confirmations: 1 },
})

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  anvil = await startAnvil({ chainId: 84532, blockTime: 0, extraArguments: growingAnvil })
  await growChain(anvil, { blocks: 400, eventsPerBlock: 40, eventsPerTransaction: 20 })
  faulty = await startFaultyRpc(anvil.rpc)
  whole = await postgres.createDatabase('whole')
  expect(await prefill({ chain: chain(), databaseUrl: whole })).toMatchObject({ logs: 16_000 })
})

afterAll(async () => {
  await faulty?.close()
  await anvil?.stop()
  await postgres?.stop()
})

test('kill -9 between and within transactions leaves a correct cache, and the next run completes it', async () => {
  const databaseUrl = await postgres.createDatabase('killed')
  // The later ranges wait until the database is locked, so that the run can't be over before it is killed.
  const locked = Promise.withResolvers<void>()
  let ranges = 0
  faulty.inject(({ method }) =>
    method === 'eth_getLogs' && ++ranges > 1 ? { hold: locked.promise } : undefined,
  )
  const program = fileURLToPath(new URL('./prefillProcess.ts', import.meta.url))
  const child = spawn(process.execPath, [
    '--no-warnings',
    program,
    JSON.stringify(chain()),
    databaseUrl,
  ])
  await once(createInterface({ input: child.stdout }), 'line')

  await withClient(databaseUrl, async (client) => {
    // Logs are copied last: whoever waits for this lock has already written blocks and transactions.
    await client.query('BEGIN')
    await client.query('LOCK TABLE ponder_sync.logs IN SHARE ROW EXCLUSIVE MODE')
    locked.resolve()
    await untilBlocked(databaseUrl)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await untilGone(databaseUrl)
    await client.query('ROLLBACK')
  })
  faulty.inject(undefined)

  const [left, expected] = await Promise.all([readCache(databaseUrl), readCache(whole)])
  const vouched = await vouchedUpTo(databaseUrl)
  expect(vouched).toBeGreaterThan(0)
  expect(vouched).toBeLessThan(400)
  for (const table of ['blocks', 'transactions', 'logs'] as const) {
    const number = table === 'blocks' ? 'number' : 'block_number'
    const promised = expected[table]!.filter(
      (row) => (row as Record<string, number>)[number]! <= vouched,
    )
    expect(left[table], table).toEqual(promised)
  }

  expect(await prefill({ chain: chain(), databaseUrl })).toMatchObject({ status: 'filled' })
  expect(await readCache(databaseUrl)).toEqual(expected)
})

test('rows that are there without an interval are kept and completed', async () => {
  const databaseUrl = await postgres.createDatabase('partial')
  await prefill({ chain: chain(), databaseUrl })
  await withClient(databaseUrl, async (client) => {
    await client.query('DELETE FROM ponder_sync.intervals')
    await client.query('DELETE FROM ponder_sync.logs WHERE block_number % 3 = 0')
    await client.query('DELETE FROM ponder_sync.transactions WHERE block_number % 7 = 0')
  })
  expect(await prefill({ chain: chain(), databaseUrl })).toMatchObject({ status: 'filled' })
  expect(await readCache(databaseUrl)).toEqual(await readCache(whole))
})

test('a prefill that is aborted rejects with the reason, and what it wrote stays right', async () => {
  const databaseUrl = await postgres.createDatabase('aborted')
  const controller = new AbortController()
  const reason = new Error('the supervisor stops')
  const run = prefill({
    ...{ chain: chain(), databaseUrl, signal: controller.signal },
    onProgress: () => controller.abort(reason),
  })
  await expect(run).rejects.toBe(reason)
  expect(await vouchedUpTo(databaseUrl)).toBeGreaterThan(0)
  await prefill({ chain: chain(), databaseUrl })
  expect(await readCache(databaseUrl)).toEqual(await readCache(whole))
})

/** Resolves when the prefill's connection waits for a lock. */
async function untilBlocked(databaseUrl: string): Promise<void> {
  await until(
    databaseUrl,
    `SELECT 1 FROM pg_stat_activity WHERE application_name = 'cairn_prefill'
       AND datname = current_database() AND wait_event_type = 'Lock'`,
  )
}

/** Ends the killed prefill's backend, which waits for the lock and would not notice soon. */
async function untilGone(databaseUrl: string): Promise<void> {
  const backends = `FROM pg_stat_activity
    WHERE application_name = 'cairn_prefill' AND datname = current_database()`
  await withClient(databaseUrl, (client) =>
    client.query(`SELECT pg_terminate_backend(pid) ${backends}`),
  )
  await until(databaseUrl, `SELECT 1 WHERE NOT EXISTS (SELECT ${backends})`)
}

/** Each look is a transaction of its own: within one, the server's view of activity doesn't change. */
async function until(databaseUrl: string, query: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    while ((await client.query(query)).rowCount === 0) await new Promise(setImmediate)
  })
}

/** The last block that every fragment's interval covers. */
async function vouchedUpTo(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ low: string; high: string }>(
      `SELECT min(lower(blocks))::text AS low, min(upper(blocks))::text AS high FROM ponder_sync.intervals`,
    )
    expect(rows[0]?.low).toBe('0')
    return Number(rows[0]?.high) - 1
  })
}
