import type { Answered } from '../../../api/http/accessLog.ts'
import type { Failure } from '../../../api/http/baseApp.ts'
import type { RequestLimits } from '../../../api/http/limits/requestGate.ts'
import type { TokenPriceCache } from '../../../api/http/prices/tokenPriceCache.ts'
import { type ApiRoutes, type RunningApi, startApi } from '../../../api/rest/startApi.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { BRIDGE } from '../../../tools/seed/bridgeStatements.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

export const BASE = 84_532
export const HORIZEN = 2_651_420
export const UNTIL = 1_790_000_000

/** High enough to stay out of the way of tests that are about something else. */
const FREE: RequestLimits = {
  reads: { perSecond: 100_000, burst: 100_000 },
  writes: { perSecond: 100_000, burst: 100_000 },
}

export type SeededApi = {
  url: string
  postgres: PostgresUnderTest
  database: OpenDatabase
  /** Answers of status 500 and above, as the operator is told of them. */
  failures: Failure[]
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
  get(path: string, headers?: Record<string, string>): Promise<Answer<any>>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<any>>
  stop(): Promise<void>
}

type Answer<Body> = { status: number; headers: Headers; text: string; body: Body }

/** A chain of the seeded pair, its nodes at `rpc` (by default where nobody listens). */
export function chainConfig(
  name: string,
  chainId: number,
  rpc = 'http://127.0.0.1:9',
): ChainConfig {
  return { name, chainId, rpcUrls: [rpc], bridge: BRIDGE, startBlock: 0, confirmations: 1 }
}

export const CHAINS = [chainConfig('base_sepolia', BASE), chainConfig('horizen_testnet', HORIZEN)]

type SeededApiOptions = {
  /** 0: a database without anything in it. */
  intents: number
  chains?: ChainConfig[]
  limits?: RequestLimits
  /** How often a client may ask for an earlier block; by default as the API does. */
  asOfLimits?: RequestLimits['reads']
  trustedProxies?: string[]
  routes?: readonly ApiRoutes[]
  expectsReactions?: boolean
  prices?: TokenPriceCache
  /** Called with every answer; default: nothing. */
  onAnswer?: (answered: Answered) => void
}

/** A PostgreSQL of its own with a seeded history, and the API over it. */
export async function startSeededApi(options: SeededApiOptions): Promise<SeededApi> {
  const { intents, chains = CHAINS, limits = FREE, trustedProxies = [], routes = [] } = options
  const postgres = await startPostgresUnderTest()
  const { databaseUrl } = postgres
  if (intents > 0) await seedDatabase({ databaseUrl, intents, seed: 5, until: UNTIL })
  const failures: Failure[] = []
  const api = await startApi({
    databaseUrl,
    chains,
    host: '127.0.0.1',
    port: 0,
    limits,
    ...(options.asOfLimits && { asOfLimits: options.asOfLimits }),
    trustedProxies,
    routes,
    ...(options.prices && { prices: options.prices }),
    ...(options.expectsReactions && { expectsReactions: true }),
    ...(options.onAnswer && { onAnswer: options.onAnswer }),
    rpcPollMs: 100,
    onFailure: (failure) => failures.push(failure),
  })
  const database = openDatabase({ databaseUrl, name: 'cairn_api', connections: 3 })
  return {
    url: api.url,
    postgres,
    database,
    failures,
    get: (path, headers = {}) => ask(api, path, { headers }),
    post: (path, body, headers = {}) =>
      ask(api, path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    stop: async () => {
      await api.stop()
      await database.close()
      await postgres.stop()
    },
  }
}

async function ask(api: RunningApi, path: string, init: RequestInit): Promise<Answer<unknown>> {
  const response = await fetch(`${api.url}${path}`, init)
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : null,
  }
}
