/**
 * `npm run bench:scale`: how latencies, counts and disk space grow with the number of intents. Each size has a
 * PostgreSQL on disk with a seeded history, and Cairn's API as an operator starts it, with and without caches. One
 * connection sends its next request when answered; ids and solvers are drawn uniformly.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../services/postgres/startPostgres.ts'
import { seedDatabase } from '../../tools/seed/seedDatabase.ts'
import { CONTENDERS, RECORDS, type Subjects } from './api/comparedServers.ts'
import { measureLoad } from './api/measureLoad.ts'
import { startBenchServer } from './api/startBenchServer.ts'
import { readIndexSizes, readTableSizes, type TableSize } from './api/tableSizes.ts'
import { readOptions } from './readOptions.ts'

const options = readOptions(
  `npm run bench:scale -- [options]

  --sizes <list>   numbers of intents (default 10000,100000,1000000); 7 kB of disk each
  --seconds <n>    duration of each measurement (default 5)
  --indexes        also the size of each index, at the last size`,
  {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    seconds: { type: 'string', default: '5' },
    indexes: { type: 'boolean', default: false },
  },
  ['seconds'],
)

const UNTIL = 1_790_000_000
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
type Step = { intents: number; latencies: Map<string, Latency>; tables: readonly TableSize[] }

const steps: Step[] = []
for (const size of options.sizes.split(',').map(Number)) steps.push(await measure(size))
printLatencies(steps)
for (const { intents, tables } of steps) printSizes(intents, tables)

async function measure(intents: number): Promise<Step> {
  const directory = await mkdtemp(join(tmpdir(), 'cairn-bench-scale-'))
  const settings = { fsync: 'off', shared_buffers: '512MB', max_wal_size: '2GB' }
  const postgres = await startPostgres({ dataDirectory: join(directory, 'postgres'), settings })
  const client = new pg.Client(postgres.databaseUrl)
  try {
    console.log(`seeding ${intents} intents …`)
    const begun = performance.now()
    await seedDatabase({ databaseUrl: postgres.databaseUrl, intents, seed: 1, until: UNTIL })
    console.log(`seeded in ${((performance.now() - begun) / 1_000).toFixed(0)} s`)
    await client.connect()
    // As autovacuum leaves tables that nothing writes to any more.
    await client.query('vacuum analyze')
    const subjects = join(directory, 'subjects.json')
    await writeFile(subjects, JSON.stringify(await subjectsOf(client)))
    const latencies = new Map<string, Latency>()
    for (const server of ['cairn', 'cairn, no memory'] as const) {
      const api = await startBenchServer(server, postgres.databaseUrl, directory)
      try {
        for (const contender of CONTENDERS.filter((one) => one.server === server)) {
          for (const question of RECORDS) {
            const load = await measureLoad(
              {
                contender: CONTENDERS.indexOf(contender),
                question,
                port: api.port,
                subjects,
                connections: 1,
                seed: 4_711,
                warmUpSeconds: 2,
                seconds: Number(options.seconds),
              },
              api.pid,
              postgres.pid,
            )
            if (load.refused > 0) throw new Error(`${contender.name} refused ${load.refused}`)
            latencies.set(`${contender.name}: ${question}`, load)
          }
        }
        if (server === 'cairn, no memory') await measureCounts(api.port, latencies)
      } finally {
        await api.stop()
      }
    }
    const tables = await readTableSizes(client)
    if (options.indexes) await printIndexes(client, intents)
    return { intents, latencies, tables }
  } finally {
    await client.end()
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
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
     from cairn.intent order by random() limit ${DRAWN}`,
  )
  const solvers = await client.query(
    'select solver from cairn.intent where solver is not null group by solver having count(*) > 50 order by 1',
  )
  return { intents: intents.rows, solvers: solvers.rows.map(({ solver }) => solver), quotes: [] }
}

function printLatencies(all: readonly Step[]): void {
  const names = [...(all[0]?.latencies.keys() ?? [])]
  const sizes = all.map(({ intents }) => intents.toLocaleString('en'))
  console.log(`\np50 / p95 in ms, by intents; the last column is the largest p50 over the first\n`)
  console.log(`| | ${sizes.join(' | ')} | |\n|---|${sizes.map(() => '---').join('|')}|---|`)
  for (const name of names) {
    const of = all.map(({ latencies }) => latencies.get(name) as Latency)
    const cells = of.map(({ p50, p95 }) => `${p50.toFixed(2)} / ${p95.toFixed(2)}`)
    const growth = Math.max(...of.map(({ p50 }) => p50)) / (of[0] as Latency).p50
    console.log(`| ${name} | ${cells.join(' | ')} | ${growth.toFixed(2)}× |`)
  }
  console.log(`\n${chartOf(all)}`)
}

/** A Mermaid chart for Markdown: lists and single intents without caches, p50 in ms. */
function chartOf(all: readonly Step[]): string {
  const names = [...(all[0]?.latencies.keys() ?? [])].filter((name) => /REST, no memory/.test(name))
  const axis = all.map(({ intents }) => `"${intents.toLocaleString('en')}"`).join(', ')
  const lines = names.map((name) => {
    const points = all.map(({ latencies }) => latencies.get(name)?.p50.toFixed(2))
    return `  line "${name}" [${points.join(', ')}]`
  })
  return [
    ...['```mermaid', 'xychart-beta', `  x-axis "intents" [${axis}]`, '  y-axis "p50 (ms)"'],
    ...[...lines, '```'],
  ].join('\n')
}

function printSizes(intents: number, tables: readonly TableSize[]): void {
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

async function printIndexes(client: pg.Client, intents: number): Promise<void> {
  console.log(`\nbytes an intent, by index, at ${intents} intents`)
  for (const { index, bytes } of await readIndexSizes(client))
    if (bytes / intents >= 1) console.log(`${(bytes / intents).toFixed(0).padStart(8)}  ${index}`)
}
