import { fork } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { ChainStatus } from '../../../services/indexer/chainSupervision.ts'
import type { Indexer } from '../../../services/indexer/startIndexer.ts'
import { TABLE_LAYOUTS } from '../../../services/indexer/tables/tableLayouts.ts'
import { until } from '../../rig/until.ts'
import { type BridgePair, readChainEvents, startBridgePair } from './bridgePair.ts'
import { expectRowsOfReplay } from './expectRowsOfReplay.ts'
import {
  awaitCaughtUp,
  awaitLive,
  awaitStatus,
  startTestDatabase,
  startTestIndexer,
  type TestDatabase,
} from './indexerUnderTest.ts'

const SUPERVISOR = fileURLToPath(new URL('./supervisorProcess.ts', import.meta.url))

/** Ponder's own file in the project's directory. */
const DECLARATIONS = new URL('../../../ponder-env.d.ts', import.meta.url)

let pair: BridgePair
let database: TestDatabase
const running: Indexer[] = []
/** What the indexers of the test have logged, Ponder's own words included. */
const lines: string[] = []
const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })

beforeAll(async () => {
  ;[pair, database] = await Promise.all([startBridgePair(), startTestDatabase()])
  await pair.base.client.mine({ blocks: 70 })
})

afterAll(async () => {
  await Promise.all([pair?.stop(), database?.stop()])
})

afterEach(async () => {
  await Promise.all(running.splice(0).map((indexer) => indexer.stop()))
  lines.length = 0
})

async function start(): Promise<Indexer> {
  const indexer = await startTestIndexer(database.url, [pair.base.config], log)
  running.push(indexer)
  return indexer
}

/** Ponder alone would first wait 25 s for the dead process's lock. */
function expectNoWaiting() {
  expect(lines.filter((line) => line.includes('Detected crash recovery'))).not.toEqual([])
  expect(lines.filter((line) => line.includes('is locked by a different'))).toEqual([])
}

async function isRunning(pid: number): Promise<boolean> {
  try {
    // A process that has ended and waits for its parent to notice counts as ended.
    return !/^State:\s+Z/m.test(await readFile(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** How many files a process has the kernel watch for changes; 0 where there is no /proc. */
async function filesWatchedBy(pid: number): Promise<number> {
  const descriptors = await readdir(`/proc/${pid}/fdinfo`).catch(() => [])
  const reported = await Promise.all(
    descriptors.map((one) => readFile(`/proc/${pid}/fdinfo/${one}`, 'utf8').catch(() => '')),
  )
  return reported.join('').match(/^inotify wd:/gm)?.length ?? 0
}

/** The indexes of the tables that readers see: which they are, and each one's identity. */
async function indexes(): Promise<Map<string, number>> {
  const { rows } = await database.client.query(
    `select i.indexname as name, c.oid::integer as oid from pg_indexes i
     join app.projection p on p.schema_name = i.schemaname and p.active
     join pg_class c on c.oid = format('%I.%I', i.schemaname, i.indexname)::regclass
     where i.tablename = any($1)`,
    [TABLE_LAYOUTS.map(({ name }) => name)],
  )
  return new Map(rows.map(({ name, oid }) => [name, oid]))
}

/** Sends a few transactions a second until told to stop, so that something is always under way. */
function keepBusy() {
  let busy = true
  const done = (async () => {
    while (busy) {
      await pair.play.anchor(await pair.play.create())
      await new Promise((resolve) => setTimeout(resolve, 400))
    }
  })()
  const stop = async () => {
    busy = false
    await done
  }
  // A failed test must not keep the next one's chain moving.
  onTestFinished(stop)
  return stop
}

test('a Ponder killed mid-flight is replaced within seconds, and nothing is lost', async () => {
  const { mtimeMs } = await stat(DECLARATIONS)
  const indexer = await start()
  await awaitLive(indexer, pair.base)
  const rest = keepBusy()
  const { pid } = indexer.statuses()[0] as ChainStatus
  // By itself a Ponder would watch everything in the project's directory, a devnet's database too.
  expect(await filesWatchedBy(pid as number)).toBe(0)
  // The project's directory may be one that nobody can write.
  expect((await stat(DECLARATIONS)).mtimeMs).toBe(mtimeMs)
  await until(async () => {
    const { rows } = await database.client.query('select count(*) from cairn.intent')
    return Number(rows[0].count) >= 5
  }, 'five intents')

  // By itself a Ponder that resumes would drop them all, and readers would do without until it is live.
  const before = await indexes()
  expect(before.size).toBeGreaterThan(20)
  const [lost] = [...before.keys()].filter((name) => name.startsWith('event_transaction_hash'))
  const { rows: shown } = await database.client.query(
    'select schema_name from app.projection where active',
  )
  await database.client.query(`drop index "${shown[0].schema_name}"."${lost}"`)

  const reader = new pg.Client({ connectionString: database.url })
  await reader.connect()
  await reader.query('begin; select count(*) from cairn.intent')
  process.kill(pid as number, 'SIGKILL')
  await awaitStatus(indexer, pair.base.chainId, ({ state }) => state === 'waiting')
  // A long read, such as a backup, is in nobody's way.
  await awaitStatus(indexer, pair.base.chainId, ({ state }) => state === 'live')
  for (const { name } of TABLE_LAYOUTS) await reader.query(`select count(*) from cairn."${name}"`)
  await reader.end()
  expectNoWaiting()
  expect(lines.filter((line) => line.includes('deadlock'))).toEqual([])
  const after = await indexes()
  expect([...after.keys()].sort()).toEqual([...before.keys()].sort())
  for (const [name, oid] of after)
    expect([name, oid === before.get(name)]).toEqual([name, name !== lost])
  await rest()
  await expectRowsOfReplay(database, pair.base)
  const { rows } = await database.client.query('select count(*) from app.orphaned_event')
  expect(Number(rows[0].count)).toBe(0)
})

test('a killed supervisor’s Ponder ends too, and the next one continues at once', async () => {
  const config = JSON.stringify(pair.base.config)
  const supervisor = fork(SUPERVISOR, [database.url, config], { silent: true })
  const statuses: ChainStatus[] = []
  supervisor.on('message', (status: ChainStatus) => statuses.push(status))
  const rest = keepBusy()
  await until(async () => statuses.at(-1)?.state === 'live', 'a live chain')
  const pid = statuses.at(-1)?.pid as number
  expect(await isRunning(pid)).toBe(true)

  supervisor.kill('SIGKILL')
  await until(async () => !(await isRunning(pid)), 'the end of the orphaned Ponder')
  await database.client.query(`update app.projection set problem = 'its last'`)
  const next = await start()
  await awaitStatus(next, pair.base.chainId, ({ state }) => state === 'live')
  expectNoWaiting()
  await rest()
  await expectRowsOfReplay(database, pair.base)
  expect(await shownProblems()).toEqual([null])

  const second = await start()
  const { problem } = await awaitStatus(
    second,
    pair.base.chainId,
    ({ state }) => state === 'waiting',
  )
  expect(problem).toContain('another indexer works on base_sepolia')
  // The row is the first one's, which follows the chain. Stopping ends all that the second had to write.
  await running.pop()?.stop()
  expect(await shownProblems()).toEqual([null])
})

/** What the API says is wrong with each chain's index. */
async function shownProblems(): Promise<(string | null)[]> {
  const { rows } = await database.client.query('select problem from app.projection')
  return rows.map(({ problem }) => problem)
}

test('a stopped index catches up, and announces every change once', async () => {
  const { play, base } = pair
  const first = await start()
  await awaitLive(first, base)
  await play.create()
  const lost = await play.create()
  await awaitCaughtUp(database.client, base)
  await running.pop()?.stop()
  const before = await reported()
  lines.length = 0

  // What it saw last left the chain meanwhile, and more than it takes for unfinalised came after.
  await base.client.request({ method: 'anvil_rollback', params: [2] } as never)
  // In another block than before.
  await base.client.mine({ blocks: 1 })
  const anchored = await play.create()
  await base.client.mine({ blocks: 40 })
  await play.anchor(anchored)
  await base.client.mine({ blocks: 80 })
  await play.create()
  const next = await start()
  await awaitLive(next, base)
  await expectRowsOfReplay(database, pair.base)
  // Not by Ponder, event by event: it begins behind them.
  const line = lines.find((one) => /folded [1-9]/.test(one)) ?? ''
  const [, folded, upTo] = /folded (\d+) events up to block (\d+)/.exec(line) ?? []
  const final = (await readChainEvents(base, BigInt(before.finalized) + 1n)).filter(
    ({ point }) => point.blockNumber <= Number(upTo),
  )
  expect(Number(folded)).toBe(final.length)
  expect(final.at(-1)).toMatchObject({ type: 'IntentAnchored' })

  const after = await reported()
  const rows = after.events - before.events
  expect(after.inserted - before.inserted - (after.deleted - before.deleted)).toBe(rows)
  expect(rows).toBeGreaterThan(1)
  const { rows: orphans } = await database.client.query(
    'select intent_id::text as id, cause, restored_at from app.orphaned_event',
  )
  expect(orphans).toEqual([{ id: String(lost), cause: 'resume', restored_at: null }])

  await play.create()
  await awaitCaughtUp(database.client, base)
  await base.client.request({ method: 'anvil_rollback', params: [2] } as never)
  await play.create()
  await expectRowsOfReplay(database, pair.base)
})

test('an index whose tables are gone, as after schema app alone was restored, is built and shown again', async () => {
  const { base } = pair
  const { rows } = await database.client.query('select schema_name as name from app.projection')
  await database.client.query(`drop schema "${rows[0].name}" cascade`)
  await awaitLive(await start(), base)
  await expectRowsOfReplay(database, base)
})

/** Events that readers see, and how often they were told that one came or went. */
async function reported() {
  const { rows } = await database.client.query(
    `select (select count(*) from cairn.event)::int as events,
       (select finalized_block from cairn.chain_clock) as finalized,
       count(*) filter (where operation = 'insert')::int as inserted,
       count(*) filter (where operation = 'delete')::int as deleted
     from app.change_log where table_name = 'event'`,
  )
  return rows[0]
}
