import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { GROWING_ANVIL, growChain } from '../../bench/backfill/growChain.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { foldInto } from './foldInto.ts'
import { grownChainConfig } from './grownChainConfig.ts'
import { readProjections, withClient } from './ponderRun.ts'
import { registerSchema } from './registerSchema.ts'

let postgres: PostgresUnderTest
let anvil: RunningAnvil
let faulty: FaultyRpc
let expected: Record<string, object[]>

const chain = () => grownChainConfig(faulty.url)

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  anvil = await startAnvil({ chainId: 84532, blockTime: 0, extraArguments: GROWING_ANVIL })
  await growChain(anvil, { blocks: 200, eventsPerBlock: 20, eventsPerTransaction: 20 })
  faulty = await startFaultyRpc(anvil.rpc)
  const target = await targetIn('whole')
  expect(await foldInto(target)).toMatchObject({ events: 4_000 })
  expected = await readProjections(target.databaseUrl, 'folded')
})

afterAll(async () => {
  await faulty?.close()
  await anvil?.stop()
  await postgres?.stop()
})

/** A schema without tables, in a database of its own. */
async function targetIn(name: string) {
  const databaseUrl = await postgres.createDatabase(name)
  const target = { chain: chain(), databaseUrl, schema: 'folded' }
  await registerSchema(databaseUrl, target)
  return target
}

test('kill -9 between and within transactions leaves whole blocks, and the next run completes them', async () => {
  const target = await targetIn('killed')
  const { databaseUrl, schema } = target
  // The later ranges wait until the database is locked, so that the run can't be over before it is killed.
  const locked = Promise.withResolvers<void>()
  let ranges = 0
  faulty.inject(({ method }) =>
    method === 'eth_getLogs' && ++ranges > 1 ? { hold: locked.promise } : undefined,
  )
  const program = fileURLToPath(new URL('./foldUntilKilled.ts', import.meta.url))
  const args = ['--no-warnings', program, JSON.stringify(chain()), databaseUrl, schema]
  const child = spawn(process.execPath, args)
  await once(createInterface({ input: child.stdout }), 'line')

  await withClient(databaseUrl, async (client) => {
    // Every page has events, so a fold waiting for this lock has moved the checkpoint in its transaction.
    await client.query('BEGIN')
    await client.query('LOCK TABLE folded.event IN SHARE ROW EXCLUSIVE MODE')
    locked.resolve()
    await untilBlocked(databaseUrl)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await untilGone(databaseUrl)
    await client.query('ROLLBACK')
  })
  faulty.inject(undefined)

  const left = await readProjections(databaseUrl, schema)
  const block = await foldedUpTo(databaseUrl)
  expect(block).toBeGreaterThan(0)
  expect(block).toBeLessThan(200)
  const promised = expected.event!.filter(
    (row) => (row as { block_number: number }).block_number <= block,
  )
  expect(left.event).toEqual(promised)

  expect(await foldInto(target)).toMatchObject({
    status: 'folded',
    events: 4_000 - promised.length,
  })
  expect(await readProjections(databaseUrl, schema)).toEqual(expected)
})

test('an aborted fold rejects with the reason, and the next one completes its rows', async () => {
  const target = await targetIn('aborted')
  const controller = new AbortController()
  const reason = new Error('the supervisor stops')
  const run = foldInto(target, {
    signal: controller.signal,
    onProgress: () => controller.abort(reason),
  })
  await expect(run).rejects.toBe(reason)
  expect(await foldedUpTo(target.databaseUrl)).toBeGreaterThan(0)
  await foldInto(target)
  expect(await readProjections(target.databaseUrl, 'folded')).toEqual(expected)
})

/** Resolves when the fold's connection waits for a lock. */
async function untilBlocked(databaseUrl: string): Promise<void> {
  await until(
    databaseUrl,
    `SELECT 1 FROM pg_stat_activity WHERE application_name = 'cairn_fold_internal'
       AND datname = current_database() AND wait_event_type = 'Lock'`,
  )
}

/** Ends the killed fold's backend, which waits for the lock and would not notice soon. */
async function untilGone(databaseUrl: string): Promise<void> {
  const backends = `FROM pg_stat_activity
    WHERE application_name = 'cairn_fold_internal' AND datname = current_database()`
  await withClient(databaseUrl, (client) =>
    client.query(`SELECT pg_terminate_backend(pid) ${backends}`),
  )
  await until(databaseUrl, `SELECT 1 WHERE NOT EXISTS (SELECT ${backends})`)
}

/** Each poll is a transaction of its own: within one, the server's view of activity doesn't change. */
async function until(databaseUrl: string, query: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    while ((await client.query(query)).rowCount === 0) await new Promise(setImmediate)
  })
}

/** The block up to whose end the tables are whole. */
async function foldedUpTo(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(
      'SELECT app.checkpoint_block(finalized_checkpoint) AS block FROM folded._ponder_checkpoint',
    )
    return Number(rows[0].block)
  })
}
