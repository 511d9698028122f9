/**
 * npm run bench:backfill: how long it takes to index a chain from nothing, against stock Ponder, in one run.
 *
 * Both sides index the same anvil chain, whose blocks hold real bridge events in a history that a bridge
 * could have emitted, written by a small emitter at the bridge's address (bench/backfill/emitterCode.ts).
 * Time runs from the start of the first process until Ponder says that everything final is indexed, so it
 * includes both programs' start: ours is the indexer as the product runs it, its Ponder included. The stock
 * side writes one insert and one upsert an event; ours runs the product's reducer.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startAnvil } from '../../contracts/anvil/startAnvil.ts'
import { createDatabase, withClient } from '../integration/prefill/ponderRun.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../postgresUnderTest.ts'
import { benchBridge, type ChainShape, growChain, growingAnvil } from './backfill/growChain.ts'
import { type Measurement, measured } from './backfill/measured.ts'
import { runPonder } from './backfill/runPonder.ts'
import { readOptions } from './readOptions.ts'

const options = readOptions(
  `npm run bench:backfill -- [options]

  --sparse-blocks <n>    blocks of the chain with few events (default 5000)
  --dense-blocks <n>     blocks of the chain full of events (default 500)
  --only sparse|dense    one of them alone
  --ours                 our side alone, without a ratio`,
  {
    'sparse-blocks': { type: 'string', default: '5000' },
    'dense-blocks': { type: 'string', default: '500' },
    only: { type: 'string' },
    ours: { type: 'boolean', default: false },
  },
  ['sparse-blocks', 'dense-blocks'],
)

type Case = { name: string; shape: ChainShape; stockUrls: number; goal: number }

const cases: Case[] = [
  {
    name: 'sparse',
    shape: { blocks: Number(options['sparse-blocks']), eventsPerBlock: 4, eventsPerTransaction: 4 },
    ...{ stockUrls: 1, goal: 20 },
  },
  {
    name: 'dense',
    shape: {
      blocks: Number(options['dense-blocks']),
      eventsPerBlock: 200,
      eventsPerTransaction: 10,
    },
    ...{ stockUrls: 25, goal: 1.5 },
  },
]

const stockRoot = fileURLToPath(new URL('./backfill/stock/', import.meta.url))
const main = fileURLToPath(new URL('../../services/main.ts', import.meta.url))
const directory = await mkdtemp(join(tmpdir(), 'cairn-backfill-'))
const postgres = await startPostgresUnderTest()
try {
  for (const one of cases)
    if (!options.only || options.only === one.name) await compare(postgres, one)
} finally {
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
  // Ponder's generated types of one project would be taken for the other's by the compiler.
  for (const written of ['ponder-env.d.ts', 'generated']) {
    await rm(join(stockRoot, written), { recursive: true, force: true })
  }
}

async function compare({ databaseUrl }: PostgresUnderTest, { name, shape, stockUrls, goal }: Case) {
  const { blocks, eventsPerBlock, eventsPerTransaction } = shape
  const anvil = await startAnvil({ chainId: 84532, blockTime: 0, extraArguments: growingAnvil })
  try {
    const events = await growChain(anvil, shape)
    const place = { bridge: benchBridge, startBlock: 0, confirmations: 1 }
    const chain = { name: 'base_sepolia', chainId: 84532, rpcUrls: [anvil.rpc], ...place }
    console.log(
      `\n${name}: ${events} events, ${blocks} blocks of ${eventsPerBlock}, ${eventsPerTransaction} a transaction`,
    )

    const ours = await createDatabase(databaseUrl, `ours_${name}`)
    const chainsFile = join(directory, `${name}.json`)
    await writeFile(chainsFile, JSON.stringify({ chains: [chain] }))
    const total = await measured(
      [main, 'indexer'],
      { ...process.env, DATABASE_URL: ours, CHAINS: chainsFile, LOG_LEVEL: 'debug' },
      (line) => line.includes('Completed backfill indexing'),
      tellSteps,
    )
    await expectEvents(ours, events)
    report('ours', events, total)
    if (options.ours) return

    const stock = await createDatabase(databaseUrl, `stock_${name}`)
    const urls = Array.from({ length: stockUrls }, (_, at) => `${anvil.rpc}/?${at}`)
    const stockChain = JSON.stringify({ ...chain, rpcUrls: urls })
    const theirs = await runPonder({
      root: stockRoot,
      environment: { STOCK_CHAIN: stockChain },
      databaseUrl: stock,
    })
    await expectEvents(stock, events)
    report(`stock Ponder, ${stockUrls} URL${stockUrls > 1 ? 's' : ''}`, events, theirs)
    const ratio = theirs.seconds / total.seconds
    const cpu = theirs.cpuSeconds / total.cpuSeconds
    console.log(`  ratio ${ratio.toFixed(1)} in time (goal ${goal}), ${cpu.toFixed(1)} in CPU`)
  } finally {
    await anvil.stop()
  }
}

/** What the indexer says of its steps. */
function tellSteps(line: string, seconds: number): void {
  const { msg } = line.startsWith('{') ? JSON.parse(line) : { msg: '' }
  if (/cached|folded|Started backfill/.test(msg)) console.log(`    ${seconds.toFixed(1)} s: ${msg}`)
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
  what: string,
  events: number,
  { seconds, cpuSeconds, peakMegabytes }: Measurement,
): void {
  const speed = Math.round(events / seconds)
  const figures = `${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s, peak ${Math.round(peakMegabytes)} MB`
  console.log(`  ${what.padEnd(26)} ${String(speed).padStart(6)} events/s  ${figures}`)
}
