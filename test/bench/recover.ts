/**
 * `npm run bench:recover [-- --intents <n>]`: recovery of schema `app` from 100,000 anchored blobs, created locally in
 * the run, opened by one thread per core and written to a real PostgreSQL. Prints its ratio to the bare minimum,
 * measured in the same run: the curve (one ECDH per blob) on the same cores, and a server-side `COPY` of the rows. The
 * curve is measured before, between and after, since a machine's speed varies. The difference is shown by its parts:
 * opening alone, this process, the database. Takes a few minutes at most.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type pg from 'pg'
import { createEnclave } from '../../services/enclave/createEnclave.ts'
import { type EventPart, recoverChain } from '../../services/relayer/recovery/recoverChain.ts'
import {
  addRecoveredEvent,
  createRecoveredIntents,
} from '../../services/relayer/recovery/recoveredIntents.ts'
import { migrate } from '../../services/store/database/migrate.ts'
import { ANCHORED_CHAIN, generateAnchoredHistory } from '../anchoredHistory.ts'
import { startPostgresUnderTest } from '../postgresUnderTest.ts'
import { readProcessTime } from './api/readProcessTime.ts'
import { readOptions } from './readOptions.ts'

const { intents } = readOptions(
  `npm run bench:recover -- [options]

  --intents <n>    intents to recover (default 100000)`,
  { intents: { type: 'string', default: '100000' } },
  ['intents'],
)
const INTENTS = Number(intents)
const CORES = availableParallelism()
const PART = 5_000
const SECONDS = 2

const enclave = await createEnclave({
  roots: [new Uint8Array(32).fill(3)],
  chains: [],
  decryptionThreads: CORES,
})
const parts = await makeHistory()

const before = await curveRate()
const opening = await openingRate()
const between = await curveRate()
const { rate, cpuPerBlob, databaseCpu, copy } = await recoveryRate()
const after = await curveRate()
const beside = { opening: mean(before, between), recovery: mean(between, after) }
const curve = mean(before, mean(between, after))
const cpuInAll = cpuPerBlob + (databaseCpu ?? 0)
const leastSeconds = 1 / beside.recovery.rate + copy.seconds / INTENTS
const leastCpu = beside.recovery.cpu + (copy.cpu ?? 0)
process.stdout.write(
  [
    `recovery of ${INTENTS} intents on ${CORES} cores`,
    `  recovered            ${Math.round(rate)} blobs/s (database included)`,
    `  opened alone         ${Math.round(opening.rate)} blobs/s`,
    `  the bare curve       ${Math.round(curve.rate)} ECDH/s on the same cores`,
    `  copied alone         ${Math.round(INTENTS / copy.seconds)} rows/s`,
    `  ratio                ${(rate * leastSeconds).toFixed(2)} of curve and COPY, ${(rate / beside.recovery.rate).toFixed(2)} of the curve; opened alone ${(opening.rate / beside.opening.rate).toFixed(2)} of the curve`,
    'CPU per blob, which depends less on other load',
    `  this process         ${cpuPerBlob.toFixed(0)} µs, of that opening ${opening.cpu.toFixed(0)} µs, of that the curve ${curve.cpu.toFixed(0)} µs`,
    `  PostgreSQL           ${databaseCpu === null ? 'unknown on this system' : `${databaseCpu.toFixed(0)} µs, for COPY alone ${(copy.cpu ?? 0).toFixed(0)} µs`}`,
    `  ratio                ${(leastCpu / cpuInAll).toFixed(2)} of curve and COPY, ${(beside.recovery.cpu / cpuInAll).toFixed(2)} of the curve; opened alone ${(beside.opening.cpu / opening.cpu).toFixed(2)} of the curve`,
    '',
  ].join('\n'),
)
process.exit()

type Rate = { rate: number; cpu: number }

function mean(one: Rate, other: Rate): Rate {
  return { rate: (one.rate + other.rate) / 2, cpu: (one.cpu + other.cpu) / 2 }
}

/** Prints a line for each tenth of the way. */
function printProgress(what: string, intents: number): void {
  const done = Math.min(intents, INTENTS)
  const tenth = (count: number) => Math.floor((count * 10) / INTENTS)
  if (tenth(done) > tenth(intents - PART)) process.stderr.write(`${what} ${done} of ${INTENTS}\n`)
}

async function makeHistory(): Promise<EventPart[]> {
  const made: EventPart[] = []
  for await (const part of generateAnchoredHistory(enclave, INTENTS, PART)) {
    made.push(part)
    printProgress('sealed', part.to)
  }
  return made
}

async function recoveryRate() {
  const postgres = await startPostgresUnderTest()
  try {
    await migrate(postgres.databaseUrl)
    const client = await postgres.connect()
    const { rows: backends } = await client.query('select pg_backend_pid() as pid')
    const databaseBefore = cpuOfProcess(backends[0].pid)
    const began = performance.now()
    const cpu = process.cpuUsage()
    const book = await recoverChain({
      chain: ANCHORED_CHAIN,
      parts: (async function* () {
        yield* parts
      })(),
      enclave,
      client,
      onPart: (to) => printProgress('recovered', to),
    })
    const seconds = (performance.now() - began) / 1_000
    const { user, system } = process.cpuUsage(cpu)
    const databaseAfter = cpuOfProcess(backends[0].pid)
    const { rows } = await client.query('select count(*)::integer as count from app.bundle')
    if (rows[0].count !== INTENTS || book.intents.size !== INTENTS) {
      throw new Error(`${rows[0].count} bundles came back, not ${INTENTS}`)
    }
    const isKnown = databaseBefore !== null && databaseAfter !== null
    return {
      rate: INTENTS / seconds,
      cpuPerBlob: (user + system) / INTENTS,
      databaseCpu: isKnown ? (databaseAfter - databaseBefore) / INTENTS : null,
      copy: await copyAgain(client, backends[0].pid),
    }
  } finally {
    await postgres.stop()
  }
}

/** Copies the recovered rows into an equal empty table, within the server; CPU in microseconds per row. */
async function copyAgain(client: pg.Client, backend: number) {
  await client.query('create table app.copied (like app.bundle including all)')
  const { rows } = await client.query(
    `select current_setting('data_directory') || '/copied' as file`,
  )
  const file = `'${rows[0].file}' (format binary)`
  await client.query(`copy app.bundle to ${file}`)
  const began = performance.now()
  const before = cpuOfProcess(backend)
  await client.query(`copy app.copied from ${file}`)
  const after = cpuOfProcess(backend)
  return {
    seconds: (performance.now() - began) / 1_000,
    cpu: before === null || after === null ? null : (after - before) / INTENTS,
  }
}

/** Blobs opened per second, two requests at a time as in recovery, and CPU microseconds of one. */
async function openingRate(): Promise<Rate> {
  const book = createRecoveredIntents()
  const found = parts
    .slice(0, 6)
    .flatMap(({ events }) => events.flatMap((event) => addRecoveredEvent(book, event) ?? []))
    .map(({ blob, expected }) => ({ blob, expected }))
  const batches = Array.from({ length: Math.ceil(found.length / 500) }, (_, at) =>
    found.slice(at * 500, at * 500 + 500),
  )
  const began = performance.now()
  const cpu = process.cpuUsage()
  let next = 0
  const recoverNext = async () => {
    for (let blobs = batches[next++]; blobs !== undefined; blobs = batches[next++]) {
      await enclave.openBlobs({ blobs })
    }
  }
  await Promise.all([recoverNext(), recoverNext()])
  const { user, system } = process.cpuUsage(cpu)
  const rate = (found.length * 1_000) / (performance.now() - began)
  return { rate, cpu: (user + system) / found.length }
}

/** CPU time of a process in microseconds; null where the system doesn't report it. */
function cpuOfProcess(pid: number): number | null {
  try {
    return readProcessTime(pid) * 1_000_000
  } catch {
    return null
  }
}

/** ECDH per second on all cores, and CPU microseconds of one. */
async function curveRate(): Promise<Rate> {
  const cpu = process.cpuUsage()
  const workers = Array.from({ length: CORES }, () => {
    return new Worker(new URL('recover/ecdhThread.ts', import.meta.url), { workerData: SECONDS })
  })
  const counts = await Promise.all(
    workers.map((worker) => {
      return new Promise<number>((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', reject)
      })
    }),
  )
  const { user, system } = process.cpuUsage(cpu)
  const all = counts.reduce((sum, count) => sum + count, 0)
  return { rate: all / SECONDS, cpu: (user + system) / all }
}
