/**
 * `npm run bench:scale`: how latencies, counts and disk space grow with the number of intents. Each size has a
 * PostgreSQL on disk with a seeded history, and Cairn's API as an operator starts it, with and without caches. One
 * connection sends its next request when answered; ids and solvers are drawn uniformly. The sizes take turns at each
 * request, so that a slow moment of the machine affects all of them.
 */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type RunningPostgres, startPostgres } from '../../services/postgres/startPostgres.ts'
import { seedDatabase } from '../../tools/seed/seedDatabase.ts'
import { CONTENDERS, type Contender, RECORDS, type Subjects } from './api/comparedServers.ts'
import { measureLoad } from './api/measureLoad.ts'
import { type BenchServer, startBenchServer } from './api/startBenchServer.ts'
import { readIndexSizes, readTableSizes } from './api/tableSizes.ts'
import { readOptions } from './readOptions.ts'

const options = readOptions(
  `npm run bench:scale -- [options]

  --sizes <list>   numbers of intents (default 10000,100000,1000000); 7.7 kB of disk each, above 5 million 3.8 kB
  --seconds <n>    duration of each measurement (default 5)
  --keep <folder>  keep the databases there, and use those of earlier runs
  --indexes        also the size of each index, at the last size

Above 5 million intents, nine in ten have no events, and none of those is requested by id.`,
  {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    seconds: { type: 'string', default: '5' },
    keep: { type: 'string' },
    indexes: { type: 'boolean', default: false },
  },
  ['seconds'],
)

const UNTIL = 1_790_000_000
/** More would need more disk than most machines have. */
const MOST_WITH_ALL_EVENTS = 5_000_000
const SETTINGS = {
  ...{ fsync: 'off', shared_buffers: '512MB', max_wal_size: '2GB' },
  // Seeding then writes no WAL.
  ...{ wal_level: 'minimal', max_wal_senders: '0' },
}
/** Number of intents to draw from. */
const DRAWN = 100_000
const COUNTS = {
  'count all': '',
  'count completed': '(where: { status: { eq: completed } })',
  'count by amount': '(where: { amountA: { gt: "0" } })',
  'count failed': '(where: { status: { eq: failed } })',
}
const COUNTED = 30

type Latency = { p50: number; p95: number }
type Database = {
  intents: number
  directory: string
  /** Path of the file that lists what to request. */
  subjects: string
  postgres: RunningPostgres
  client: pg.Client
  latencies: Map<string, Latency>
}

const folder = options.keep ?? (await mkdtemp(join(tmpdir(), 'cairn-bench-scale-')))
const databases: Database[] = []
try {
  for (const size of options.sizes.split(',').map(Number)) databases.push(await openDatabase(size))
  for (const server of ['cairn', 'cairn, no memory'] as const) await measure(server)
  printLatencies()
  for (const database of databases) await printSizes(database)
  if (options.indexes) await printIndexes(databases.at(-1) as Database)
} finally {
  for (const { client, postgres } of databases) {
    await client.end()
    await postgres.stop()
  }
  if (options.keep === undefined) await rm(folder, { recursive: true, force: true })
}

/** Starts a size's database, seeded by this run or an earlier one. */
async function openDatabase(intents: number): Promise<Database> {
  const directory = join(folder, String(intents))
  await mkdir(directory, { recursive: true })
  const postgres = await startPostgres({
    dataDirectory: join(directory, 'postgres'),
    settings: SETTINGS,
  })
  const client = new pg.Client(postgres.databaseUrl)
  await client.connect()
  const subjects = join(directory, 'subjects.json')
  const database = { intents, directory, subjects, postgres, client, latencies: new Map() }
  // Written last: a database without it is incomplete.
  if (existsSync(subjects)) return database
  console.log(`seeding ${intents} intents …`)
  const begun = performance.now()
  await seedDatabase({
    databaseUrl: postgres.databaseUrl,
    intents,
    seed: 1,
    until: UNTIL,
    mostWithoutEvents: intents > MOST_WITH_ALL_EVENTS,
  })
  // As autovacuum leaves tables that nothing writes to any more.
  await client.query('vacuum analyze')
  await writeFile(subjects, JSON.stringify(await subjectsOf(client)))
  console.log(`seeded in ${((performance.now() - begun) / 1_000).toFixed(0)} s`)
  return database
}

async function measure(server: 'cairn' | 'cairn, no memory'): Promise<void> {
  const apis: BenchServer[] = []
  try {
    for (const { postgres, directory } of databases)
      apis.push(await startBenchServer(server, postgres.databaseUrl, directory))
    for (const contender of CONTENDERS.filter((one) => one.server === server))
      for (const question of RECORDS)
        for (const [at, database] of databases.entries())
          await measureOne(contender, question, apis[at] as BenchServer, database)
    if (server !== 'cairn, no memory') return
    for (const [at, { latencies }] of databases.entries())
      await measureCounts((apis[at] as BenchServer).port, latencies)
  } finally {
    for (const api of apis) await api.stop()
  }
}

async function measureOne(
  contender: Contender,
  question: (typeof RECORDS)[number],
  { port, pid }: BenchServer,
  { subjects, postgres, latencies }: Database,
): Promise<void> {
  const load = await measureLoad(
    {
      contender: CONTENDERS.indexOf(contender),
      question,
      port,
      subjects,
      connections: 1,
      seed: 4_711,
      warmUpSeconds: 2,
      seconds: Number(options.seconds),
    },
    pid,
    postgres.pid,
  )
  if (load.refused > 0) throw new Error(`${contender.name} refused ${load.refused}`)
  latencies.set(`${contender.name}: ${question}`, load)
}

async function measureCounts(port: number, latencies: Map<string, Latency>): Promise<void> {
  for (const [name, filter] of Object.entries(COUNTS)) {
    const body = JSON.stringify({ query: `{ intents${filter} { totalCount totalCountIsExact } }` })
    const times: number[] = []
    for (let n = 0; n < COUNTED; n++) {
      const begun = performance.now()
      const answer = await fetch(`http://127.0.0.1:${port}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      const { data } = (await answer.json()) as { data: { intents: { totalCount: number } } }
      times.push(performance.now() - begun)
      if (n === 0) console.log(`${name}: ${JSON.stringify(data.intents)}`)
    }
    times.sort((a, b) => a - b)
    const rank = (share: number) => times[Math.ceil(share * COUNTED) - 1] as number
    latencies.set(name, { p50: rank(0.5), p95: rank(0.95) })
  }
}

async function subjectsOf(client: pg.Client): Promise<Subjects> {
  const intents = await client.query(
    `select source_chain_id::text as "sourceChainId", intent_id::text as "intentId"
     from cairn.intent i where exists (select from cairn.event e
       where e.source_chain_id = i.source_chain_id and e.intent_id = i.intent_id)
     order by random() limit ${DRAWN}`,
  )
  const solvers = await client.query(
    'select solver from cairn.intent where solver is not null group by solver having count(*) > 50 order by 1',
  )
  return { intents: intents.rows, solvers: solvers.rows.map(({ solver }) => solver), quotes: [] }
}

function printLatencies(): void {
  const names = [...(databases[0]?.latencies.keys() ?? [])]
  const sizes = databases.map(({ intents }) => intents.toLocaleString('en'))
  console.log(`\np50 / p95 in ms, by intents; the last column is the largest p50 over the first\n`)
  console.log(`| | ${sizes.join(' | ')} | |\n|---|${sizes.map(() => '---').join('|')}|---|`)
  for (const name of names) {
    const of = databases.map(({ latencies }) => latencies.get(name) as Latency)
    const cells = of.map(({ p50, p95 }) => `${p50.toFixed(2)} / ${p95.toFixed(2)}`)
    const growth = Math.max(...of.map(({ p50 }) => p50)) / (of[0] as Latency).p50
    console.log(`| ${name} | ${cells.join(' | ')} | ${growth.toFixed(2)}× |`)
  }
  console.log(`\n${chart()}`)
}

/** A Mermaid chart for Markdown: lists and single intents without caches, p50 in ms. */
function chart(): string {
  const names = [...(databases[0]?.latencies.keys() ?? [])].filter((name) =>
    /REST, no memory/.test(name),
  )
  const axis = databases.map(({ intents }) => `"${intents.toLocaleString('en')}"`).join(', ')
  const lines = names.map((name) => {
    const points = databases.map(({ latencies }) => latencies.get(name)?.p50.toFixed(2))
    return `  line "${name}" [${points.join(', ')}]`
  })
  return [
    ...['```mermaid', 'xychart-beta', `  x-axis "intents" [${axis}]`, '  y-axis "p50 (ms)"'],
    ...[...lines, '```'],
  ].join('\n')
}

async function printSizes({ client, intents }: Database): Promise<void> {
  const tables = await readTableSizes(client)
  const per = (bytes: number) => (bytes / intents).toFixed(0).padStart(8)
  const total = tables.reduce((sum, { heap, indexes }) => sum + heap + indexes, 0)
  console.log(`\n${intents} intents: ${(total / intents / 1_000).toFixed(2)} kB each`)
  console.log('bytes an intent               rows    heap  indexes')
  for (const { table, rows, heap, indexes } of tables) {
    if ((heap + indexes) / intents < 1) continue
    console.log(
      `  ${table.padEnd(20)}${(rows / intents).toFixed(2).padStart(12)}${per(heap)} ${per(indexes)}`,
    )
  }
}

async function printIndexes({ client, intents }: Database): Promise<void> {
  console.log(`\nbytes an intent, by index, at ${intents} intents`)
  for (const { index, bytes } of await readIndexSizes(client))
    if (bytes / intents >= 1) console.log(`${(bytes / intents).toFixed(0).padStart(8)}  ${index}`)
}
