import type { GraphQLError } from 'graphql'
import { queryError } from './queryError.ts'

/** The first backfill is running: there is no data yet. `_meta` shows its progress. */
export function notReady(): GraphQLError {
  return queryError('NOT_READY', 'the index is being built: query _meta for its progress', {
    status: 503,
    headers: { 'retry-after': '5' },
  })
}
