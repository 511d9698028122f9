import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'

/**
 * Answers clients that send a query's hash in the hope that we store queries. The words are those that Apollo's
 * clients look for: they send the whole query then, and no hashes from there on.
 */
export function refuseStoredQueries(): Plugin {
  return {
    onParams: ({ params, setParams, setResult }) => {
      const stored = (params.extensions as { persistedQuery?: unknown } | undefined)?.persistedQuery
      if (stored == null || params.query) return
      // Or yoga would have its own word about requests without a query.
      setParams({ query: '{ __typename }' })
      const extensions = { code: 'PERSISTED_QUERY_NOT_SUPPORTED', http: { status: 200 } }
      setResult({ errors: [new GraphQLError('PersistedQueryNotSupported', { extensions })] })
    },
  }
}
