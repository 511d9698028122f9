import pg from 'pg'
import { createViews } from '../../services/indexer/tables/createViews.ts'
import { migrate } from '../../services/store/database/migrate.ts'
import { buildBridgeStatements } from './bridgeStatements.ts'
import { createChainIndexes, createChainTables, setChainClock } from './createChainTables.ts'
import { buildEventStatements } from './eventStatements.ts'
import { hashTerms } from './hashTerms.ts'
import { buildDraftStatement, buildIntentPlanStatements } from './intentPlanStatements.ts'
import { buildIntentStatements } from './intentStatements.ts'
import { buildOrderStatements } from './orderStatements.ts'
import { headBlockOf, type SeedPlan } from './seedPlan.ts'
import { buildSeedSqlFunctions, SEED_SCHEMA } from './seedSqlFunctions.ts'
import { buildStatisticsStatements } from './statisticsStatements.ts'

type SeedOptions = Omit<SeedPlan, 'chains'> & {
  databaseUrl: string
  /** Called with progress. */
  onStep?: (step: string) => void
}

/** The database has an index of real chains, which seeding would hide. */
export class NotSeedableError extends Error {
  override name = 'NotSeedableError'
}

/** Blocks at a seeded chain's head that a reorg could still replace. */
const UNFINALIZED_BLOCKS = 64

/**
 * Fills a database with a generated history of two chains, and publishes it in the views. Every row is what the reducer would
 * make of the events. Replaces an earlier seeding.
 *
 * @throws NotSeedableError when the database holds an index of real chains
 */
export async function seedDatabase({
  databaseUrl,
  onStep,
  ...options
}: SeedOptions): Promise<SeedPlan> {
  const plan: SeedPlan = { ...options, until: options.until - (options.until % 2), chains: CHAINS }
  const step = onStep ?? (() => {})
  await migrate(databaseUrl)
  await withClients(databaseUrl, async (first, second) => {
    await dropSeeded(first)
    for (const statement of buildSeedSqlFunctions(plan.seed)) await first.query(statement)
    step('intents')
    const planOf = async (client: pg.Client, chain: 0 | 1) => {
      await client.query(buildDraftStatement(plan, chain))
      await hashTerms(client, chain)
      await run(client, buildIntentPlanStatements(chain))
    }
    await Promise.all([planOf(first, 0), planOf(second, 1)])
    await Promise.all([fillChain(first, plan, 0, step), fillChain(second, plan, 1, step)])
    await vacuum(first, plan)
    await publish(first, plan)
  })
  return plan
}

/**
 * Creates and fills one chain's tables in one transaction: with `wal_level = minimal`, PostgreSQL then writes no WAL for them.
 */
async function fillChain(
  client: pg.Client,
  plan: SeedPlan,
  chain: 0 | 1,
  step: (step: string) => void,
): Promise<void> {
  const { chainId, name, schema } = plan.chains[chain]
  await client.query('begin')
  await createChainTables(client, { chainId, chainName: name, schema, indexes: false })
  step(`${name}: rows`)
  await run(client, [...buildBridgeStatements(plan, chain), ...buildIntentStatements(plan, chain)])
  await run(client, buildOrderStatements(plan, chain))
  step(`${name}: events`)
  await run(client, buildEventStatements(plan, chain))
  step(`${name}: statistics`)
  await run(client, buildStatisticsStatements(plan, chain))
  step(`${name}: indexes`)
  await createChainIndexes(client, schema)
  await client.query('commit')
}

/**
 * Leaves the tables as autovacuum would, so that plans can use index-only scans. Pages stay unmarked while another transaction's
 * snapshot is open, or while the commit that filled them isn't flushed: so commits are synchronous here.
 */
async function vacuum(client: pg.Client, { chains }: SeedPlan): Promise<void> {
  const tables = chains.flatMap(({ schema }) =>
    VACUUMED.map((table) => `vacuum analyze "${schema}"."${table}"`),
  )
  await run(client, tables)
}

const VACUUMED = [
  ...['event', 'intent', 'bid', 'delivery', 'scheduled_order', 'tranche', 'vault_escrow'],
  ...['pair_day', 'pair_hour', 'solver_day', 'sender_day', 'pair_sender_day'],
  ...['solver_record', 'solver_volume', 'solver_stake', 'forfeit'],
]

const CHAINS: SeedPlan['chains'] = [
  { chainId: 84_532, name: 'base_sepolia', schema: 'cairn_84532_seeded' },
  { chainId: 2_651_420, name: 'horizen_testnet', schema: 'cairn_2651420_seeded' },
]

async function withClients(
  databaseUrl: string,
  work: (first: pg.Client, second: pg.Client) => Promise<void>,
): Promise<void> {
  const clients = [0, 1].map(() => new pg.Client({ connectionString: databaseUrl }))
  try {
    for (const client of clients) {
      // A connection that breaks also fails its query; without a listener it would end the process.
      client.on('error', () => {})
      await client.connect()
      await client.query(`set maintenance_work_mem = '512MB'`)
      await client.query(`set work_mem = '128MB'`)
    }
    await work(clients[0]!, clients[1]!)
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}

async function run(client: pg.Client, statements: string[]): Promise<void> {
  for (const statement of statements) await client.query(statement)
}

/** Drops an earlier seeding. Refuses when the database indexes real chains. */
async function dropSeeded(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select schema_name from app.projection where build <> 'seeded'`,
  )
  if (rows.length > 0) {
    throw new NotSeedableError(
      `the database holds the index of real chains (${rows.map((row) => row.schema_name).join(', ')}): seed another one`,
    )
  }
  await client.query('begin')
  await createViews(client, [])
  for (const { schema } of CHAINS) await client.query(`drop schema if exists "${schema}" cascade`)
  await client.query(`delete from app.projection where build = 'seeded'`)
  await client.query('commit')
}

/** Sets the clocks, then shows both chains in the views at once. */
async function publish(client: pg.Client, plan: SeedPlan): Promise<void> {
  const blockNumber = headBlockOf(plan)
  await client.query('begin')
  for (const { chainId, name, schema } of plan.chains) {
    await setChainClock(client, schema, {
      chainId,
      chainName: name,
      blockNumber,
      timestamp: plan.until,
      finalizedBlock: blockNumber - UNFINALIZED_BLOCKS,
    })
  }
  await createViews(client, [...plan.chains])
  await client.query(`drop schema ${SEED_SCHEMA} cascade`)
  await client.query('commit')
}
