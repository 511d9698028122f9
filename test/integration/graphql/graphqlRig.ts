import type pg from 'pg'
import { createGraphql, type Graphql } from '../../../api/graphql/createGraphql.ts'
import { createAsOfReads } from '../../../api/http/asOfReads.ts'
import { NO_PRICES } from '../../../api/http/prices/tokenPriceCache.ts'
import { createTokenLookup } from '../../../api/http/tokens/tokenLookup.ts'
import { createChainStateCache } from '../../../services/store/chains/chainStateCache.ts'
import { type ChangeFeed, startChangeFeed } from '../../../services/store/changes/changeFeed.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'
import { createIntentCache } from '../../../services/store/intents/intentCache.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { tokenOf } from '../../../tools/seed/seedSqlFunctions.ts'
import { startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { chainConfig } from '../rest/seededApi.ts'

export const BASE = 84_532
export const HORIZEN = 2_651_420
/** Replaces the node's answer about an indexed head. */
const BLOCK_HASH = `0x${'ab'.repeat(32)}`
export const UNTIL = 1_790_000_000

/** Tokens on the operator's list, one on each chain. */
const CONFIGURED = [BASE, HORIZEN].map((chainId) => ({
  ...chainConfig(String(chainId), chainId),
  tokens: { USDC: { address: tokenOf('USDC', chainId), decimals: 6 } },
}))

type Answer = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the query decides the answer's shape
  data: any
  errors: { message: string; path?: string[]; extensions: Record<string, unknown> }[]
}

export type GraphqlRig = {
  databaseUrl: string
  /** A separate connection, to inspect the database. */
  client: pg.Client
  pool: pg.Pool
  feed: ChangeFeed
  graphql: Graphql
  /** Internal errors. */
  problems: unknown[]
  /** Statements that reached the database since the last call. */
  takeStatements(): string[]
  ask(query: string, variables?: object): Promise<Answer>
  /**
   * Asks a query that must succeed.
   * @returns its data
   */
  // biome-ignore lint/suspicious/noExplicitAny: the query decides the answer's shape
  data(query: string, variables?: object): Promise<any>
  stop(): Promise<void>
}

type RigOptions = {
  /** Intents to seed; 0 leaves the database without a chain. */
  intents: number
  timeoutMs?: number
  statementTimeoutMs?: number
}

/** Starts the GraphQL API over a real database with a seeded history. */
export async function startGraphqlRig(options: RigOptions): Promise<GraphqlRig> {
  const postgres = await startPostgresUnderTest()
  const { databaseUrl } = postgres
  await migrate(databaseUrl)
  if (options.intents > 0) {
    await seedDatabase({ databaseUrl, intents: options.intents, seed: 7, until: UNTIL })
  }
  const client = await postgres.connect()
  const { statementTimeoutMs = 5_000 } = options
  const { db, pool, close } = openDatabase({ databaseUrl, statementTimeoutMs })
  const statements = recordStatements(pool)
  const feed = startChangeFeed({ databaseUrl })
  await isFound(feed)
  const problems: unknown[] = []
  const graphql = createGraphql({
    reads: {
      db,
      intents: createIntentCache(db, feed),
      tokens: createTokenLookup({ db, feed, configured: CONFIGURED }),
      prices: NO_PRICES,
      asOf: createAsOfReads({ db, configured: [] }),
      readBlock: async () => ({ hash: BLOCK_HASH as `0x${string}`, timestamp: 0n }),
    },
    feed,
    chains: createChainStateCache(db, feed),
    onProblem: (error) => problems.push(error),
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
  })
  const ask = (query: string, variables: object = {}) => post(graphql, { query, variables })
  return {
    databaseUrl,
    client,
    pool,
    feed,
    graphql,
    problems,
    takeStatements: () => statements.splice(0),
    ask,
    data: async (query, variables) => {
      const { data, errors } = await ask(query, variables)
      if (errors.length > 0) throw new Error(JSON.stringify(errors, null, 2))
      return data
    },
    stop: async () => {
      graphql.close()
      await feed.stop()
      await close()
      await client.end()
      await postgres.stop()
    },
  }
}

/** Posts a body as JSON, as clients do. */
export async function post(graphql: Graphql, body: unknown): Promise<Answer> {
  const request = new Request('http://cairn.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  })
  return answerOf(await graphql.handle(request, 'test'))
}

export async function answerOf(response: Response): Promise<Answer> {
  const body = (await response.json()) as Partial<Answer>
  const { status, headers } = response
  return { status, headers, data: body.data ?? null, errors: body.errors ?? [] }
}

/** Records every statement sent over any connection of the pool. */
function recordStatements(pool: pg.Pool): string[] {
  const statements: string[] = []
  pool.on('connect', (client) => {
    const query = client.query
    client.query = function (this: pg.PoolClient, ...args: unknown[]) {
      const [statement] = args as [string | { text: string }]
      statements.push(typeof statement === 'string' ? statement : statement.text)
      return Reflect.apply(query, this, args)
    } as typeof query
  })
  return statements
}

async function isFound(feed: ChangeFeed): Promise<void> {
  if (feed.isConnected()) return
  await new Promise<void>((resolve) => {
    const leave = feed.subscribe(({ kind }) => {
      if (kind !== 'found') return
      leave()
      resolve()
    })
  })
}
