import type { Registry } from 'prom-client'
import type { ChainConfig } from '../../services/config/chainConfig.ts'
import { computeDefaultCacheMegabytes } from '../../services/config/computeDefaultCacheMegabytes.ts'
import type { BucketLimits } from '../../services/process/tokenBuckets.ts'
import { cacheUntilAllowListsChange } from '../../services/store/cache/cacheUntilAllowListsChange.ts'
import { createResponseCache } from '../../services/store/cache/responseCache.ts'
import {
  type Confirmations,
  createChainStateCache,
} from '../../services/store/chains/chainStateCache.ts'
import { listBridges } from '../../services/store/chains/listBridges.ts'
import { type ChangeFeed, startChangeFeed } from '../../services/store/changes/changeFeed.ts'
import { openDatabase } from '../../services/store/database/openDatabase.ts'
import { createIntentCache } from '../../services/store/intents/intentCache.ts'
import type { Answered } from '../http/accessLog.ts'
import { type App, addEndpoint } from '../http/addEndpoint.ts'
import { createAsOfReads } from '../http/asOfReads.ts'
import type { Failure } from '../http/baseApp.ts'
import { createCompressor } from '../http/compression/createCompressor.ts'
import type { StaticFile } from '../http/compression/staticFile.ts'
import type { Rendered } from '../http/conditionalResponse.ts'
import { createProblemMetrics } from '../http/createProblemMetrics.ts'
import { serveDocs } from '../http/docs/serveDocs.ts'
import { createFastPath, type FastPathEndpoint } from '../http/fastPath.ts'
import { answerFrontPage } from '../http/frontPage.ts'
import { type IsTrustedProxy, trustProxies } from '../http/limits/clientAddress.ts'
import {
  createRequestGate,
  DEFAULT_LIMITS,
  type RequestGate,
  type RequestLimits,
} from '../http/limits/requestGate.ts'
import { listen, type Upgrade } from '../http/listen.ts'
import { addReadings, createMetrics, createRequestMeter, serveMetrics } from '../http/metrics.ts'
import { createOpenApiApp } from '../http/openApiApp.ts'
import { NO_PRICES, type TokenPriceCache } from '../http/prices/tokenPriceCache.ts'
import { createTokenLookup } from '../http/tokens/tokenLookup.ts'
import { findExampleIntent } from './intents/findExampleIntent.ts'
import { addIntentDetailsRoutes } from './intents/intentDetailsRoutes.ts'
import { addIntentEventsRoute } from './intents/intentEventsRoute.ts'
import { createIntentFastPath } from './intents/intentFastPath.ts'
import { createIntentListFastPath } from './intents/intentListFastPath.ts'
import { addIntentListRoute } from './intents/intentListRoute.ts'
import { addOpenAuctionsRoute } from './intents/openAuctionsRoute.ts'
import { addVerifyIntentRoute } from './intents/verifyIntentRoute.ts'
import { addChainsRoute } from './operations/chainsRoute.ts'
import { createHealthReader, type Health, healthSchema } from './operations/healthReader.ts'
import { createIndexMetrics } from './operations/indexMetrics.ts'
import { listHealthProblems } from './operations/listHealthProblems.ts'
import { addReadyRoute } from './operations/readyRoute.ts'
import { createRelayerMetrics } from './operations/relayerMetrics.ts'
import { type RpcHeads, watchRpcHeads } from './operations/rpcHeads.ts'
import { addStateHashRoute } from './operations/stateHashRoute.ts'
import { addIndexedOrderRoutes } from './orders/indexedOrderRoutes.ts'
import { createPairActivities } from './quotes/pairActivity.ts'
import { addQuoteRoute, type QuoteReads } from './quotes/quoteRoute.ts'
import type { ReadContext } from './readContext.ts'
import { addSolverDetailsRoute } from './solvers/solverDetailsRoute.ts'
import { addTokensRoute } from './tokens/tokensRoute.ts'

/** Dependencies of additional routes. */
export type ApiRoutesContext = ReadContext & {
  feed: ChangeFeed
  rpc: RpcHeads
  isTrustedProxy: IsTrustedProxy
  gate: RequestGate
  /** Memory that the routes may use for cached answers. */
  memoryBytes: number
  metrics: Registry
  /** Files to compress in advance; routes may add theirs. */
  files: StaticFile[]
}

/** Adds routes to the app. Returns how to close what it opened, if anything. */
export type ApiRoutes = (
  app: App,
  context: ApiRoutesContext,
) => undefined | { close(): Promise<void>; fastPaths?: FastPathEndpoint[]; upgrade?: Upgrade }

type ApiOptions = {
  /** PostgreSQL; must be the primary. */
  databaseUrl: string
  chains: readonly ChainConfig[]
  host: string
  /** 0: any free one. */
  port: number
  /** Addresses or CIDR ranges of proxies whose `X-Forwarded-For` counts. Default none. */
  trustedProxies?: readonly string[]
  limits?: RequestLimits
  /** See `listen`. */
  drainMs?: number
  /** Rate limit of requests for earlier blocks, per client. */
  asOfLimits?: BucketLimits
  /** Megabytes of cached answers; 0 disables the caches. Default: see `computeDefaultCacheMegabytes`. */
  memoryMegabytes?: number
  /** False: every request goes through the app, without the fast path. */
  fastPath?: boolean
  /** Additional routes, such as GraphQL and proofs. */
  routes?: readonly ApiRoutes[]
  /** Token prices; stopped with the API. Default: none. */
  prices?: TokenPriceCache
  /** Whether reactions should be running; then `/health` reports if they aren't. Default false. */
  expectsReactions?: boolean
  /** Called for each response of status 500 or above. */
  onFailure?: (failure: Failure) => void
  /** Called for each response; see `createAccessLog`. */
  onAnswer?: (answered: Answered) => void
  /** Called when the change feed fails. */
  onFeedProblem?: (error: Error) => void
  /** Milliseconds between polls of a chain's head. Default 2,000. */
  rpcPollMs?: number
}

/** Shares of the cache: intents with their answers; lists (again for GraphQL); compressed responses; quotes. */
const SHARE_OF_INTENTS = 0.84
const SHARE_OF_PAGES = 0.05
const SHARE_OF_COMPRESSED = 0.05
const SHARE_OF_QUOTES = 0.01

/** Memory per intent, with its events and rendered answer. */
const INTENT_BYTES = 8_000

export type RunningApi = {
  /** `http://host:port`, without a slash at the end. */
  url: string
  host: string
  port: number
  stop(): Promise<void>
}

/** Starts the API. It answers 503 while the database or the index isn't available. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { databaseUrl, chains: configured, limits = DEFAULT_LIMITS } = options
  const cacheBytes = (options.memoryMegabytes ?? computeDefaultCacheMegabytes()) * 2 ** 20
  const isTrustedProxy = trustProxies(options.trustedProxies ?? [])
  const { db, pool, close } = openDatabase({ databaseUrl, name: 'cairn_api' })
  const feed = startChangeFeed({
    databaseUrl,
    ...(options.onFeedProblem && { onProblem: options.onFeedProblem }),
  })
  const rpc = watchRpcHeads(configured, options.rpcPollMs)
  const reads = {
    db,
    chains: createChainStateCache(db, feed, confirmationsOf(configured)),
    cache: createIntentCache(db, feed, Math.floor((cacheBytes * SHARE_OF_INTENTS) / INTENT_BYTES)),
    pages: createResponseCache<Rendered>(feed, cacheBytes * SHARE_OF_PAGES, { repeatedOnly: true }),
    asOf: createAsOfReads({ db, configured }, options.asOfLimits),
    tokens: createTokenLookup({ db, feed, configured }),
    prices: options.prices ?? NO_PRICES,
    configured,
  }
  const metrics = createMetrics()
  addReadings(metrics, createIndexMetrics(reads, rpc, pool, feed))
  if (options.expectsReactions) addReadings(metrics, createRelayerMetrics(db, configured))
  const readHealth = createHealthReader(reads, rpc, options.expectsReactions ?? false)
  const readProblems = async () => {
    const health = await readHealth()
    return { isOk: health.status === 'ok', problems: listHealthProblems(health) }
  }
  addReadings(metrics, createProblemMetrics(readProblems))
  const meter = createRequestMeter(metrics, options.onAnswer)
  const compressor = createCompressor(cacheBytes * SHARE_OF_COMPRESSED)
  const rules = {
    gate: createRequestGate(limits),
    isTrustedProxy,
    meter,
    compressor,
    onFailure: options.onFailure ?? (() => {}),
    exampleIntent: () => findExampleIntent(reads),
  }
  const app = createOpenApiApp(rules)
  const quotes = {
    activities: createPairActivities(db, feed, cacheBytes * SHARE_OF_QUOTES),
    bridges: cacheUntilAllowListsChange(feed, () => listBridges(db)),
  }
  addRelayerReads(app, reads, { rpc, quotes, readHealth })
  serveMetrics(app, metrics)
  const files: StaticFile[] = serveDocs(app)
  const context = {
    ...reads,
    feed,
    rpc,
    isTrustedProxy,
    gate: rules.gate,
    memoryBytes: cacheBytes * SHARE_OF_PAGES,
    files,
    metrics,
  }
  const routes = (options.routes ?? []).map((add) => add(app, context))
  // Registered last: the explorer may serve this path.
  app.get('/', answerFrontPage)
  const closeRoutes = () => Promise.all(routes.map((one) => one?.close()))
  const closeAll = async () => {
    rpc.stop()
    reads.tokens.stop()
    reads.prices.stop()
    await feed.stop()
    await close()
  }
  const endpoints = [
    createIntentFastPath(reads),
    createIntentListFastPath(reads),
    ...routes.flatMap((one) => one?.fastPaths ?? []),
  ]
  const fastPath = createFastPath({
    ...rules,
    endpoints: options.fastPath === false ? [] : endpoints,
  })
  const upgrade = routes.find((one) => one?.upgrade)?.upgrade
  const listenOptions = {
    fastPath,
    isTrustedProxy,
    ...(options.drainMs && { drainMs: options.drainMs }),
    ...(options.onAnswer && { onMalformed: options.onAnswer }),
    ...(upgrade && { upgrade }),
  }
  const server = await listen(app.fetch, options.host, options.port, listenOptions).catch(
    async (error) => {
      await closeRoutes()
      await closeAll()
      throw error
    },
  )
  const preparing = prepareSoon(files)
  return {
    url: server.url,
    host: server.host,
    port: server.port,
    stop: async () => {
      clearTimeout(preparing)
      await server.drain()
      // Ends open streams first, since the server waits for open responses.
      await closeRoutes()
      await server.stop()
      await closeAll()
    },
  }
}

/** Milliseconds after the start before files are compressed. */
const COMPRESS_AFTER_MS = 3_000

/** Compresses large files in advance, after the start. */
function prepareSoon(files: readonly StaticFile[]): NodeJS.Timeout {
  return setTimeout(async () => {
    for (const file of files) await file.prepare().catch(() => {})
  }, COMPRESS_AFTER_MS).unref()
}

function confirmationsOf(chains: readonly ChainConfig[]): Confirmations {
  return new Map(chains.map(({ chainId, confirmations }) => [chainId, confirmations]))
}

function addRelayerReads(
  app: App,
  reads: ReadContext,
  {
    rpc,
    quotes,
    readHealth,
  }: { rpc: RpcHeads; quotes: QuoteReads; readHealth: () => Promise<Health> },
): void {
  // 200 while the process lives; `status` is `degraded` if anything is wrong.
  addEndpoint(app, {
    method: 'get',
    path: '/health',
    tag: 'Service',
    summary: 'The state of the service and each chain',
    answer: healthSchema,
    handler: readHealth,
  })
  addReadyRoute(app, reads)
  addIntentDetailsRoutes(app, reads)
  addIntentListRoute(app, reads)
  addIntentEventsRoute(app, reads)
  addOpenAuctionsRoute(app, reads)
  addQuoteRoute(app, reads, quotes)
  addSolverDetailsRoute(app, reads)
  addIndexedOrderRoutes(app, reads)
  addVerifyIntentRoute(app, reads)
  addStateHashRoute(app, reads)
  addChainsRoute(app, reads, rpc)
  addTokensRoute(app, reads)
}
