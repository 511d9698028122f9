/**
 * npm run bench:api: the API's requests per second, compared with other ways to serve the same rows.
 *
 * One PostgreSQL with a seeded history; Cairn's API as an operator starts it (with its rate limits raised, not removed),
 * Ponder's own GraphQL server, PostGraphile 5, and a bare Hono server with one prepared statement per route. Each is its
 * own process, and so is the load: 32 keep-alive connections, each sending its next request when answered. Meanwhile the
 * index changes: each second both chains' heads move and ten intents change, so that caches are invalidated as in
 * production. Ids are drawn uniformly from all intents; every intent has been requested once before, and a second Cairn
 * without caches shows their worth. `--variants` adds variants, each without one of Cairn's optimisations or with a library
 * in its place (variants.ts). Servers take turns in rounds, and the best round counts: other work on the machine can
 * only make a round worse.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../services/postgres/startPostgres.ts'
import { seedDatabase } from '../../tools/seed/seedDatabase.ts'
import { CONTENDERS, QUESTIONS, type Subjects, supportsQuestion } from './api/comparedServers.ts'
import { createPeerTable } from './api/createPeerTable.ts'
import { expectEqualAnswers } from './api/expectEqualAnswers.ts'
import { formatReport } from './api/formatReport.ts'
import { installPeers, PEERS } from './api/installPeers.ts'
import { type Measured, measureLoad } from './api/measureLoad.ts'
import { requestAll } from './api/requestAll.ts'
import { type BenchServer, startBenchServer } from './api/startBenchServer.ts'
import { startPulse } from './api/startPulse.ts'
import { readOptions } from './readOptions.ts'

const options = readOptions(
  `npm run bench:api -- [options]

  --intents <n>      intents in the database (default 100000)
  --rounds <n>       times that each server has its turn (default 3)
  --seconds <n>      of a measurement (default 5)
  --warm-up <n>      seconds before it that don't count (default 3)
  --connections <n>  that ask at once (default 32)
  --question <name>  one question alone, such as "by id"
  --server <name>    one server alone, such as cairn; may be repeated
  --surface <name>   rest or graphql alone
  --variants         also Cairn without each of its optimisations, or with a library in its place
  --profile <dir>    writes CPU profiles there`,
  {
    intents: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    'warm-up': { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    question: { type: 'string' },
    server: { type: 'string', multiple: true },
    surface: { type: 'string' },
    variants: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
  ['intents', 'rounds', 'seconds', 'warm-up', 'connections'],
)

const isMeant = ({ server, surface, variant }: (typeof CONTENDERS)[number]) =>
  (!options.server || options.server.includes(server)) &&
  (!options.surface || options.surface === surface.toLowerCase()) &&
  (options.variants || variant === undefined)
const meant = CONTENDERS.filter(isMeant)
installPeers(
  PEERS.filter((peer) =>
    meant.some(({ server, variant }) => server === peer || (peer === 'graphql-jit' && variant)),
  ),
)
const directory = await mkdtemp(join(tmpdir(), 'cairn-bench-api-'))
console.log(`seeding ${options.intents} intents …`)
const postgres = await startPostgres({
  dataDirectory: join(directory, 'postgres'),
  settings: { fsync: 'off', shared_buffers: '512MB' },
})
let pulse: { stop(): Promise<void> } | undefined
const servers = new Map<string, BenchServer>()
try {
  const subjects = await seed(postgres.databaseUrl)
  pulse = await startPulse(postgres.databaseUrl)
  const subjectsFile = join(directory, 'subjects.json')
  await writeFile(subjectsFile, JSON.stringify(subjects))
  for (const { server } of meant) {
    if (servers.has(server)) continue
    const isProfiled = options.profile !== undefined && server.startsWith('cairn')
    const flags = isProfiled ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : []
    servers.set(server, await startBenchServer(server, postgres.databaseUrl, directory, flags))
  }
  const portOf = (server: string) => servers.get(server)?.port ?? 0
  await expectEqualAnswers(meant, portOf, subjects)
  for (const contender of meant) {
    const { server, surface } = contender
    const remembers = server.startsWith('cairn') && !server.endsWith('no memory')
    if (!remembers || surface !== 'REST' || contender.listsOnly) continue
    await requestAll(contender, portOf(server), subjects, Number(options.connections))
  }
  const before = servers.has('cairn') && (await countsOf(portOf('cairn')))
  formatReport(await measureAll(subjectsFile), Number(options.connections), subjects.intents.length)
  if (before) printMemory(before, await countsOf(portOf('cairn')))
} finally {
  for (const server of servers.values()) await server.stop()
  await pulse?.stop()
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}

type Counts = { hits: number; misses: number }

/** Cairn's own count of single intents found in memory or not. */
async function countsOf(port: number): Promise<Counts> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const value = (name: string) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1])
  return { hits: value('cairn_cache_hits_total'), misses: value('cairn_cache_misses_total') }
}

function printMemory(before: Counts, after: Counts): void {
  const hits = after.hits - before.hits
  const share = ((100 * hits) / (hits + after.misses - before.misses)).toFixed(0)
  console.log(`\nCairn found ${share} % of single intents in memory, warm-up included`)
}

async function measureAll(subjects: string): Promise<Measured[]> {
  const all: Measured[] = []
  for (let round = 1; round <= Number(options.rounds); round++) {
    for (const question of QUESTIONS) {
      if (options.question && options.question !== question) continue
      for (const contender of meant.filter((one) => supportsQuestion(one, question))) {
        const server = servers.get(contender.server) as BenchServer
        const order = {
          contender: CONTENDERS.indexOf(contender),
          question,
          port: server.port,
          subjects,
          connections: Number(options.connections),
          seed: 4_711 * round,
          warmUpSeconds: Number(options['warm-up']),
          seconds: Number(options.seconds),
        }
        const load = await measureLoad(order, server.pid, postgres.pid)
        all.push({ contender, question, ...load })
        process.stderr.write('.')
      }
    }
  }
  process.stderr.write('\n')
  return all
}

async function seed(databaseUrl: string): Promise<Subjects> {
  const plan = await seedDatabase({
    databaseUrl,
    intents: Number(options.intents),
    seed: 1,
    until: 1_790_000_000,
  })
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await createPeerTable(
    client,
    plan.chains.map(({ schema }) => schema),
  )
  const intents = await client.query(
    'select source_chain_id::text as "sourceChainId", intent_id::text as "intentId" from cairn.intent',
  )
  const solvers = await client.query(
    'select solver from cairn.intent where solver is not null group by solver having count(*) > 50 order by 1',
  )
  const pairs = await client.query(
    `select source_chain_id as "sourceChain", dest_chain_id as "destChain", token_a as "tokenA",
       token_b as "tokenB", percentile_disc(0.5) within group (order by amount_a)::text as "amountA"
     from cairn.intent group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
  )
  await client.end()
  return {
    intents: intents.rows,
    solvers: solvers.rows.map(({ solver }) => solver),
    quotes: pairs.rows.map((pair) => String(new URLSearchParams(pair))),
  }
}
