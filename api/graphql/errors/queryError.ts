import { GraphQLError } from 'graphql'

/** Our codes in `extensions.code`. Stable. */
export type QueryErrorCode =
  | 'AMBIGUOUS_INTENT_ID'
  | 'AMBIGUOUS_ORDER_ID'
  | 'BAD_USER_INPUT'
  | 'BLOCK_BEFORE_START'
  | 'BLOCK_NOT_INDEXED'
  | 'DATABASE_UNREACHABLE'
  | 'GRAPHQL_PARSE_FAILED'
  | 'HISTORY_BUSY'
  | 'INTERNAL_ERROR'
  | 'INVALID_CURSOR'
  | 'MISSED_CHANGES'
  | 'NOT_READY'
  | 'QUERY_TIMEOUT'
  | 'QUERY_TOO_COSTLY'
  | 'QUERY_TOO_DEEP'
  | 'RATE_LIMITED'
  | 'REORG_IN_PROGRESS'
  | 'RPC_UNREACHABLE'
  | 'SLOW_CONSUMER'
  | 'TOO_MANY_ALIASES'
  | 'TOO_MANY_FIELDS'
  | 'TOO_MANY_SUBSCRIPTIONS'
  | 'TOO_MANY_TOKENS'
  | 'UNSUPPORTED_CHAIN'

type QueryErrorOptions = {
  /** HTTP status of the whole response. Default: 200, with this error in it. */
  status?: number
  /** HTTP headers of the whole response. */
  headers?: Record<string, string>
  /** Facts for programs. */
  details?: Record<string, unknown>
}

/** An error for the client, which `createMaskError` lets pass. */
export function queryError(
  code: QueryErrorCode,
  message: string,
  { status, headers, details }: QueryErrorOptions = {},
): GraphQLError {
  const http = {
    ...(status !== undefined && { status, spec: false }),
    ...(headers && { headers }),
  }
  return new GraphQLError(message, {
    extensions: {
      code,
      ...(details && { details }),
      ...(Object.keys(http).length > 0 && { http }),
    },
  })
}

/** There is no data yet, because the first backfill is running. */
export function notReady(): GraphQLError {
  const message = 'the index is being built: see _meta for its progress'
  return queryError('NOT_READY', message, { status: 503, headers: { 'retry-after': '5' } })
}

/** The query or one of its statements timed out. */
export function queryTimeout(): GraphQLError {
  const message = 'the query took too long: narrow it, or ask for less at a time'
  return queryError('QUERY_TIMEOUT', message, { status: 503, headers: { 'retry-after': '2' } })
}
