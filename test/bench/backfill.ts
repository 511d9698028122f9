/**
 * npm run bench:backfill: time to index a chain from scratch, compared with stock Ponder in the same run.
 *
 * All sides index the same anvil chain, whose blocks hold plausible bridge events written by a small emitter at the
 * bridge's address (bench/backfill/emitterCode.ts). Time runs from the first process's start until Ponder reports that
 * everything final is indexed: Cairn is the production indexer with its Ponder. The stock side does one insert and one
 * upsert per event; Cairn runs the reducer, builds every index and validates its input. The hand-written loop
 * (bench/backfill/handwrittenIndexer.ts) only fetches, decodes and copies.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startAnvil } from '../../contracts/anvil/startAnvil.ts'
import { createDatabase, withClient } from '../integration/fold/ponderRun.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../postgresUnderTest.ts'
import { BENCH_BRIDGE, type ChainShape, GROWING_ANVIL, growChain } from './backfill/growChain.ts'
import { type Measurement, measureProgram } from './backfill/measureProgram.ts'
import { runPonder } from './backfill/runPonder.ts'
import { readOptions } from './readOptions.ts'

const options = readOptions(
  `npm run bench:backfill -- [options]

  --sparse-blocks <n>    blocks of the chain with few events (default 5000)
  --dense-blocks <n>     blocks of the chain full of events (default 500)
  --only sparse|dense    one of them alone
  --events-per-block <n> of the dense chain (default 200)
  --sides <list>         any of cairn, loop, stock (default: all)`,
  {
    'sparse-blocks': { type: 'string', default: '5000' },
    'dense-blocks': { type: 'string', default: '500' },
    'events-per-block': { type: 'string', default: '200' },
    only: { type: 'string' },
    sides: { type: 'string', default: 'cairn,loop,stock' },
  },
  ['sparse-blocks', 'dense-blocks', 'events-per-block'],
)

type Case = {
  name: string
  shape: ChainShape
  stockUrls: number
  /** Goals: how many times faster than each. */
  goals: { stock: number; loop: number }
  /** Blocks per request of the loop: a few thousand events. */
  loopWidth: number
}

const cases: Case[] = [
  {
    name: 'sparse',
    shape: { blocks: Number(options['sparse-blocks']), eventsPerBlock: 4, eventsPerTransaction: 4 },
    stockUrls: 1,
    goals: { stock: 60, loop: 1 },
    loopWidth: 1_000,
  },
  {
    name: 'dense',
    shape: {
      blocks: Number(options['dense-blocks']),
      eventsPerBlock: Number(options['events-per-block']),
      eventsPerTransaction: 10,
    },
    stockUrls: 25,
    goals: { stock: 5, loop: 2 },
    loopWidth: 20,
  },
]

const stockRoot = fileURLToPath(new URL('./backfill/stock/', import.meta.url))
const loop = fileURLToPath(new URL('./backfill/handwrittenIndexer.ts', import.meta.url))
const main = fileURLToPath(new URL('../../services/main.ts', import.meta.url))
const directory = await mkdtemp(join(tmpdir(), 'cairn-backfill-'))
type Side = 'cairn' | 'loop' | 'stock'
type Chain = { name: string; rpcUrls: string[]; chainId: number; bridge: string }

/** How to run each side. */
const sides: Record<Side, (chain: Chain, databaseUrl: string, of: Case) => Promise<Measurement>> = {
  async cairn(chain, databaseUrl, { name }) {
    const chainsFile = join(directory, `${name}.json`)
    await writeFile(chainsFile, JSON.stringify({ chains: [chain] }))
    return measureProgram(
      [main, 'indexer'],
      { ...process.env, DATABASE_URL: databaseUrl, CHAINS: chainsFile, LOG_LEVEL: 'debug' },
      isIndexed,
      reportStep,
    )
  },
  async loop({ rpcUrls: [rpcUrl], chainId, bridge }, databaseUrl, { shape, loopWidth: width }) {
    const last = shape.blocks * (1 + (shape.quietBlocks ?? 0))
    const environment = { LOOP_CHAIN: JSON.stringify({ rpcUrl, chainId, bridge, last, width }) }
    return measureProgram(
      [loop],
      { ...process.env, ...environment, DATABASE_URL: databaseUrl },
      (line) => line.includes('the loop is done'),
    )
  },
  async stock(chain, databaseUrl, { stockUrls }) {
    const rpcUrls = Array.from({ length: stockUrls }, (_, at) => `${chain.rpcUrls[0]}/?${at}`)
    const environment = { STOCK_CHAIN: JSON.stringify({ ...chain, rpcUrls }) }
    return runPonder({ root: stockRoot, environment, databaseUrl })
  },
}

const postgres = await startPostgresUnderTest()
try {
  for (const one of cases)
    if (!options.only || options.only === one.name) await compare(postgres, one)
} finally {
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
  // Otherwise the compiler would mistake one project's generated types for the other's.
  for (const written of ['ponder-env.d.ts', 'generated']) {
    await rm(join(stockRoot, written), { recursive: true, force: true })
  }
}

async function compare({ databaseUrl }: PostgresUnderTest, one: Case) {
  const { name, shape, goals } = one
  const { blocks, eventsPerBlock, eventsPerTransaction } = shape
  const anvil = await startAnvil({ chainId: 84532, blockTime: 0, extraArguments: GROWING_ANVIL })
  try {
    const events = await growChain(anvil, { ...shape, isBridge: true })
    console.log(
      `\n${name}: ${events} events, ${blocks} blocks of ${eventsPerBlock}, ${eventsPerTransaction} a transaction`,
    )
    const place = { bridge: BENCH_BRIDGE, startBlock: 0, confirmations: 1 }
    const chain = { name: 'base_sepolia', chainId: 84532, rpcUrls: [anvil.rpc], ...place }
    const measurements: Partial<Record<Side, Measurement>> = {}
    for (const side of options.sides.split(',') as Side[]) {
      const own = await createDatabase(databaseUrl, `${side}_${name}`)
      measurements[side] = await sides[side](chain, own, one)
      await expectEvents(own, events)
      report(side, events, measurements[side])
    }
    for (const side of ['loop', 'stock'] as const)
      reportRatio(measurements.cairn, side, measurements[side], goals[side])
  } finally {
    await anvil.stop()
  }
}

/** Whether the indexer reports completion. @throws when it rejects the emitter as a bridge, since it would wait forever */
function isIndexed(line: string): boolean {
  if (line.includes('correct `bridge`')) throw new Error(`the indexer refuses: ${line}`)
  return line.includes('Completed backfill indexing')
}

/** The indexer's log lines about its steps and delays. */
function reportStep(line: string, seconds: number): void {
  if (!line.startsWith('{')) return
  const { msg, level } = JSON.parse(line)
  const isTrouble = level === 'warn' || level === 'error' || level >= 40
  if (isTrouble || /folded|Started backfill/.test(msg))
    console.log(`    ${seconds.toFixed(1)} s: ${msg}`)
}

async function expectEvents(databaseUrl: string, events: number): Promise<void> {
  const { rows } = await withClient(databaseUrl, async (client) => {
    const { rows: tables } = await client.query(
      `SELECT table_schema AS schema FROM information_schema.tables
        WHERE table_name = 'event' AND table_type = 'BASE TABLE'`,
    )
    return client.query(`SELECT count(*)::int AS count FROM "${tables[0].schema}".event`)
  })
  if (rows[0].count !== events) throw new Error(`${rows[0].count} of ${events} events are indexed`)
}

function report(
  side: Side,
  events: number,
  { seconds, cpuSeconds, peakMegabytes }: Measurement,
): void {
  const speed = Math.round(events / seconds)
  const figures = `${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s, peak ${Math.round(peakMegabytes)} MB`
  console.log(`  ${side.padEnd(8)} ${String(speed).padStart(6)} events/s  ${figures}`)
}

function reportRatio(
  cairn: Measurement | undefined,
  side: Side,
  theirs: Measurement | undefined,
  goal: number,
): void {
  if (!cairn || !theirs) return
  const [time, cpu] = [theirs.seconds / cairn.seconds, theirs.cpuSeconds / cairn.cpuSeconds]
  const memory = cairn.peakMegabytes / theirs.peakMegabytes
  console.log(
    `  ${time.toFixed(1)} times as fast as ${side} (goal ${goal}), with 1/${cpu.toFixed(1)} of its CPU time and ${memory.toFixed(2)} of its memory`,
  )
}
