import { GraphQLError } from 'graphql'
import { createYoga, type Plugin, useExecutionCancellation } from 'graphql-yoga'
import { createResponseCache } from '../../services/store/cache/responseCache.ts'
import { type ChainStateCache, chainsOrNone } from '../../services/store/chains/chainStateCache.ts'
import type { ChangeFeed } from '../../services/store/changes/changeFeed.ts'
import type { StaticFile } from '../http/compression/staticFile.ts'
import { createPushEventHub } from '../rest/events/pushEventHub.ts'
import { createSchema } from './createSchema.ts'
import { createMaskError } from './errors/maskError.ts'
import { refuseMediaTypes } from './errors/refuseMediaTypes.ts'
import { createGraphiqlPage, wantsPage } from './graphiql/graphiqlPage.ts'
import type { GraphqlContext, GraphqlReads } from './graphqlContext.ts'
import { createLargeOperationTurns } from './limits/largeOperationTurns.ts'
import { LIMITS } from './limits/limits.ts'
import { useLimits } from './limits/useLimits.ts'
import { useQueryCache } from './limits/useQueryCache.ts'
import { createLoaders } from './loaders/createLoaders.ts'
import {
  createPlannedQueryExecutor,
  type PlannedQueryExecutor,
} from './queryPlan/plannedQueryExecutor.ts'
import { startLiveUpdates } from './subscriptions/liveUpdates.ts'
import { type BeginOperation, createBeginOperation } from './transport/beginOperation.ts'

export type GraphqlOptions = {
  reads: GraphqlReads
  feed: ChangeFeed
  chains: ChainStateCache
  /** Called with internal errors; clients see none of them. */
  onProblem: (error: unknown) => void
  /** Called with the code of each error in an answer. */
  onError?: (code: string) => void
  /** Milliseconds until a query is cancelled. Default 10,000. */
  timeoutMs?: number
  /** Bytes for cached responses, which each change of the index drops. Default 0. */
  memoryBytes?: number
}

export type Graphql = {
  /**
   * Answers `GET` and `POST /graphql`: queries with JSON, subscriptions with server-sent events, browsers with
   * GraphiQL.
   *
   * @param client whose subscriptions are counted, such as an address
   */
  handle(request: Request, client: string): Promise<Response>
  /** For transports that carry several operations over one connection. */
  beginOperation: BeginOperation
  /** GraphiQL, for browsers. */
  page: StaticFile
  /** Answers common queries much faster than `handle`. */
  planned: PlannedQueryExecutor
  /** Number of open subscriptions. */
  subscriptions(): number
  /** Ends all subscriptions. */
  close(): void
}

const ENDPOINT = '/graphql'

/** Rewrites a request's path to the only one that yoga answers: `/v1/graphql` and `/graphql/` are valid too. */
function atEndpoint(request: Request): Request {
  const url = new URL(request.url)
  if (url.pathname === ENDPOINT) return request
  url.pathname = ENDPOINT
  return new Request(url, request)
}

export function createGraphql(options: GraphqlOptions): Graphql {
  const { reads, feed, chains, onProblem } = options
  const { db } = reads
  const updates = startLiveUpdates({ db, feed, chains, onProblem })
  const journal = createPushEventHub(db, feed, onProblem)
  const page = createGraphiqlPage()
  const schema = createSchema()
  const contextOf = async (
    client: string,
    request: Request | null = null,
  ): Promise<GraphqlContext> => ({
    ...reads,
    chains: chains.known() ?? (await chainsOrNone(chains)),
    loaders: createLoaders(db, true),
    views: new Map(),
    updates,
    journal,
    client,
    request,
  })
  const inTurn = createLargeOperationTurns()
  const maskError = createMaskError(onProblem, options.onError)
  const yoga = createYoga<{ client: string }, GraphqlContext>({
    schema,
    context: ({ client, request }) => contextOf(client, request),
    plugins: [
      useQueryCache(options.onError),
      refuseStoredQueries(),
      refuseMediaTypes(),
      useLimits(inTurn, options.timeoutMs),
      useFreshReads(chains),
      useExecutionCancellation(),
    ],
    // Yoga's cache would keep a thousand documents and errors of any size: see `useQueryCache`.
    parserAndValidationCache: false,
    maskedErrors: { maskError },
    // Node's own classes instead of yoga's ponyfills. Read here, because the HTTP server replaces some when it loads.
    fetchAPI: {
      Headers,
      ReadableStream,
      Request,
      Response,
      TextDecoder,
      TextEncoder,
      URL,
      URLSearchParams,
    },
    graphqlEndpoint: ENDPOINT,
    maxRequestBodySize: LIMITS.bodyBytes,
    // The API's server does what is needed of these.
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
    multipart: false,
    batching: false,
  })
  const stopping = new AbortController()
  return {
    handle: async (request, client) => {
      if (wantsPage(request)) return page.answer(request)
      return endWithoutComplete(await yoga.fetch(atEndpoint(request), { client }), stopping.signal)
    },
    beginOperation: createBeginOperation(
      async (operation, client, request) =>
        yoga.getResultForParams({ params: operation as never, request }, {
          client,
        } as never) as never,
      maskError,
    ),
    page,
    planned: createPlannedQueryExecutor({
      schema,
      contextOf,
      inTurn,
      cache: createResponseCache(feed, options.memoryBytes ?? 0, { repeatedOnly: true }),
      timeoutMs: options.timeoutMs ?? LIMITS.milliseconds,
      ...(options.onError && { onError: options.onError }),
    }),
    subscriptions: () => updates.counts.size(),
    close: () => {
      stopping.abort()
      updates.close()
      journal.close()
    },
  }
}

/**
 * Returns the same response, but `stopping` ends an event stream without GraphQL's `complete`. A client that gets no
 * `complete` subscribes again; with it, the client would take its subscription for finished.
 */
function endWithoutComplete(response: Response, stopping: AbortSignal): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!isStream || response.body === null) return response
  const { readable, writable } = new TransformStream()
  response.body
    .pipeTo(writable, { signal: stopping, preventAbort: true })
    // The client may have left.
    .catch(() => writable.close().catch(() => {}))
  return new Response(readable, response)
}

/**
 * Answers clients that send only a query's hash. Apollo's clients look for this message: they then send the whole
 * query, and stop sending hashes.
 */
function refuseStoredQueries(): Plugin {
  return {
    onParams: ({ params, setParams, setResult }) => {
      const stored = (params.extensions as { persistedQuery?: unknown } | undefined)?.persistedQuery
      if (stored == null || params.query) return
      // Yoga would refuse a request without a query by itself.
      setParams({ query: '{ __typename }' })
      const extensions = { code: 'PERSISTED_QUERY_NOT_SUPPORTED', http: { status: 200 } }
      setResult({ errors: [new GraphQLError('PersistedQueryNotSupported', { extensions })] })
    },
  }
}

/**
 * Keeps a subscription's context current. All its events share one context, but each must be resolved from rows
 * and chain heads of its own time.
 */
function useFreshReads(chains: ChainStateCache): Plugin<GraphqlContext> {
  return {
    onSubscribe: ({ args }) => {
      const context = args.contextValue as GraphqlContext
      let latest = context.chains
      Object.defineProperty(context, 'chains', {
        get: () => {
          latest = chains.known() ?? latest
          return latest
        },
      })
      context.loaders = createLoaders(context.db, false)
    },
  }
}
