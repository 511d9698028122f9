import { blockHashes } from '../../services/chain/blockHashes.ts'
import { addressOf } from '../http/clientAddress.ts'
import { createGraphqlErrorMeter } from '../http/metrics.ts'
import type { Surface } from '../rest/server.ts'
import { createGraphql, type GraphqlOptions } from './createGraphql.ts'
import { graphqlFastPath } from './graphqlFastPath.ts'

/**
 * `/graphql` as a surface of the API's server.
 *
 * @param onProblem told of faults of ours, such as an error that a resolver didn't expect
 */
export function graphqlSurface({
  onProblem,
  timeoutMs,
}: Pick<GraphqlOptions, 'onProblem' | 'timeoutMs'>): Surface {
  return (app, context) => {
    const { db, feed, chains, cache, asOf, tokens, configured } = context
    const { trusts, memoryBytes, files, metrics } = context
    const graphql = createGraphql({
      db,
      feed,
      chains,
      intents: cache,
      tokens,
      asOf,
      blockHash: blockHashes(configured),
      onProblem,
      onError: createGraphqlErrorMeter(metrics),
      memoryBytes,
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
    files.push(graphql.page)
    app.on(['GET', 'POST'], '/graphql', (c) => {
      c.set('route', '/graphql')
      return graphql.handle(c.req.raw, addressOf(c, trusts))
    })
    return { close: async () => graphql.close(), lane: [graphqlFastPath(graphql.quick)] }
  }
}
