import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'

/**
 * Answers clients that send only a query's hash. Apollo's clients look for this message: they then send the whole
 * query, and stop sending hashes.
 */
export function refuseStoredQueries(): Plugin {
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
