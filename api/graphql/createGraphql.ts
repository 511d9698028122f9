import { createYoga, useExecutionCancellation } from 'graphql-yoga'
import { createResponseCache } from '../../services/store/cache/responseCache.ts'
import { type ChainStateCache, chainsOrNone } from '../../services/store/chains/chainStateCache.ts'
import type { ChangeFeed } from '../../services/store/changes/changeFeed.ts'
import type { StaticFile } from '../http/compression/staticFile.ts'
import { createEventHub } from '../rest/events/eventHub.ts'
import type { GraphqlContext, GraphqlReads } from './context.ts'
import { createSchema } from './createSchema.ts'
import { createMaskError } from './errors/maskError.ts'
import { createGraphiqlPage, wantsPage } from './graphiql/graphiqlPage.ts'
import { LIMITS } from './limits/limits.ts'
import { refuseStoredQueries } from './limits/refuseStoredQueries.ts'
import { useLimits } from './limits/useLimits.ts'
import { useQueryCache } from './limits/useQueryCache.ts'
import { createLoaders } from './loaders/createLoaders.ts'
import { createPlannedResponses, type PlannedResponses } from './plan/plannedResponses.ts'
import { startLiveUpdates } from './subscriptions/liveUpdates.ts'
import { useFreshReads } from './subscriptions/useFreshReads.ts'
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
  /** Bytes of answers cached between two changes. Default 0. */
  memoryBytes?: number
}

export type Graphql = {
  /**
   * Answers `GET` and `POST /graphql`: queries as JSON, subscriptions as server-sent events, and
   * browsers with GraphiQL.
   *
   * @param client whom subscriptions count for, such as an address
   */
  handle(request: Request, client: string): Promise<Response>
  /** Begins operations for transports that carry several over one connection. */
  beginOperation: BeginOperation
  /** GraphiQL, for browsers. */
  page: StaticFile
  /** Answers the usual queries without the slow parts of `handle`. */
  quick: PlannedResponses
  /** Subscriptions that are open. */
  subscriptions(): number
  /** Ends all subscriptions. */
  close(): void
}

/** Node's own classes rather than yoga's stand-ins, as they are when the server starts. */
function platform() {
  return {
    Headers,
    ReadableStream,
    Request,
    Response,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
  }
}

const ENDPOINT = '/graphql'

/** The same request at the one path that yoga knows: it also comes under `/v1`, or with a slash at its end. */
function atEndpoint(request: Request): Request {
  const url = new URL(request.url)
  if (url.pathname === ENDPOINT) return request
  url.pathname = ENDPOINT
  return new Request(url, request)
}

/** The GraphQL API over the projections. */
export function createGraphql(options: GraphqlOptions): Graphql {
  const { reads, feed, chains, onProblem } = options
  const { db } = reads
  const updates = startLiveUpdates({ db, feed, chains, onProblem })
  const journal = createEventHub(db, feed, onProblem)
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
  const maskError = createMaskError(onProblem, options.onError)
  const yoga = createYoga<{ client: string }, GraphqlContext>({
    schema,
    context: ({ client, request }) => contextOf(client, request),
    plugins: [
      useQueryCache(options.onError),
      refuseStoredQueries(),
      useLimits(options.timeoutMs),
      useFreshReads(chains),
      useExecutionCancellation(),
    ],
    // Keeps a thousand queries, whatever they are and their errors weigh.
    parserAndValidationCache: false,
    maskedErrors: { maskError },
    fetchAPI: platform(),
    graphqlEndpoint: ENDPOINT,
    maxRequestBodySize: LIMITS.bodyBytes,
    // The composition answers for these.
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
    multipart: false,
    batching: false,
  })
  return {
    handle: async (request, client) =>
      wantsPage(request) ? page.answer(request) : yoga.fetch(atEndpoint(request), { client }),
    beginOperation: createBeginOperation(
      async (operation, client, request) =>
        yoga.getResultForParams({ params: operation as never, request }, {
          client,
        } as never) as never,
      maskError,
    ),
    page,
    quick: createPlannedResponses({
      schema,
      contextOf,
      memory: createResponseCache(feed, options.memoryBytes ?? 0, { repeatedOnly: true }),
      timeoutMs: options.timeoutMs ?? LIMITS.milliseconds,
      ...(options.onError && { onError: options.onError }),
    }),
    subscriptions: () => updates.counts.size(),
    close: () => {
      updates.close()
      journal.close()
    },
  }
}
