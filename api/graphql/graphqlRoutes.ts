import { createBlockReader } from '../../services/chain/blockReader.ts'
import type { ApiContext } from '../http/honoEnvironment.ts'
import { addressOf } from '../http/limits/clientAddress.ts'
import { addressOfRequest } from '../http/limits/requestGate.ts'
import { addReadings, createGraphqlErrorMeter, readingOf } from '../http/metrics.ts'
import type { ApiRoutes } from '../rest/startApi.ts'
import { createGraphql, type GraphqlOptions } from './createGraphql.ts'
import { createGraphqlFastPath } from './graphqlFastPath.ts'
import { addEventStreamRoutes } from './transport/eventStreamRoutes.ts'
import { createEventStreams } from './transport/eventStreams.ts'
import type { TransportLimits } from './transport/transportLimits.ts'
import { createWebSockets } from './transport/webSockets.ts'

type GraphqlRoutesOptions = Pick<GraphqlOptions, 'onProblem' | 'timeoutMs'> & {
  /** For connections that carry several operations. */
  limits?: TransportLimits
}

/**
 * `/graphql`, also over WebSockets, and `/graphql/stream`.
 *
 * @param onProblem called with internal errors, such as an unexpected one in a resolver
 */
export function createGraphqlRoutes({
  onProblem,
  timeoutMs,
  limits,
}: GraphqlRoutesOptions): ApiRoutes {
  return (app, context) => {
    const { db, asOf, tokens, prices, configured } = context
    const { feed, chains, isTrustedProxy, gate, memoryBytes, files, metrics } = context
    const readBlock = createBlockReader(configured)
    const graphql = createGraphql({
      reads: { db, intents: context.cache, tokens, prices, asOf, readBlock },
      feed,
      chains,
      onProblem,
      onError: createGraphqlErrorMeter(metrics),
      memoryBytes,
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
    files.push(graphql.page)
    const answer = async (c: ApiContext): Promise<Response> => {
      const { method, raw } = c.req
      const client = addressOf(c, isTrustedProxy)
      if (method !== 'HEAD') return graphql.handle(raw, client)
      const response = await graphql.handle(new Request(raw.url, { headers: raw.headers }), client)
      // Hono would discard the body without reading it: a stream would stay open.
      await response.body?.cancel()
      return new Response(null, response)
    }
    app.on(['GET', 'POST'], '/graphql', (c) => {
      c.set('route', '/graphql')
      return answer(c)
    })
    const { beginOperation } = graphql
    const streams = createEventStreams(beginOperation, limits)
    addEventStreamRoutes(app, {
      streams,
      clientOf: (c) => addressOf(c, isTrustedProxy),
      answerAlone: answer,
    })
    const sockets = createWebSockets({
      beginOperation,
      clientOf: (request) => addressOfRequest(request, isTrustedProxy),
      takeRead: (client, request) => {
        const decision = gate.take('reads', client, request)
        return decision.allowed ? null : decision.retrySeconds
      },
      ...(limits && { limits }),
    })
    addReadings(metrics, [
      readingOf('cairn_graphql_subscriptions', 'GraphQL subscriptions.', graphql.subscriptions),
      readingOf('cairn_graphql_streams', 'Event streams of several subscriptions.', streams.size),
      readingOf('cairn_graphql_sockets', 'Open WebSockets.', sockets.size),
    ])
    const close = async () => {
      streams.close()
      await sockets.close()
      graphql.close()
    }
    return { close, fastPaths: [createGraphqlFastPath(graphql.planned)], upgrade: sockets.upgrade }
  }
}
