import { GraphQLError } from 'graphql'
import { AsOfError } from '../../../services/store/asOf/resolveAsOf.ts'
import { findDatabaseProblem } from '../../../services/store/database/databaseProblem.ts'
import { CursorError } from '../../../services/store/database/paginationCursor.ts'
import { AmbiguousIntentError } from '../../../services/store/intents/intentLookup.ts'
import { AmbiguousOrderError } from '../../../services/store/orders/findOrder.ts'
import { ApiError } from '../../http/apiError.ts'
import { toApiError } from '../../http/toApiError.ts'
import { withoutInput } from './hideInput.ts'
import { notReady, type QueryErrorCode, queryError, queryTimeout } from './queryError.ts'

/**
 * Decides what clients see of an error. GraphQL's errors and our refusals pass. Of any other error clients see a
 * code, and `onUnexpected` gets the error.
 *
 * @param onError called once with the code of each error, however often the error is masked
 */
export function createMaskError(
  onUnexpected: (error: unknown) => void,
  onError: (code: string) => void = () => {},
) {
  const counted = new WeakSet<object>()
  return (error: unknown): Error => {
    const isNew = !counted.has(Object(error))
    const masked = mask(error, onUnexpected)
    if (isNew && !counted.has(masked)) onError(codeOf(masked))
    counted.add(Object(error)).add(masked)
    return masked
  }
}

function codeOf(error: Error): string {
  const { code } = error instanceof GraphQLError ? error.extensions : {}
  return typeof code === 'string' ? code : 'INTERNAL_ERROR'
}

function mask(error: unknown, onUnexpected: (error: unknown) => void): Error {
  const origin = originOf(error)
  if (error instanceof GraphQLError && origin instanceof GraphQLError) {
    // An error of GraphQL itself, or one made by `queryError`.
    const shown = withoutInput(error)
    shown.extensions.code ??= origin.extensions.code ?? 'BAD_USER_INPUT'
    return shown
  }
  const shown = publicError(origin)
  if (shown.extensions.code === 'INTERNAL_ERROR') onUnexpected(origin)
  return error instanceof GraphQLError ? atPositionOf(error, shown) : shown
}

function originOf(error: unknown): unknown {
  let origin = error
  while (origin instanceof GraphQLError && origin.originalError) origin = origin.originalError
  return origin
}

function publicError(cause: unknown): GraphQLError {
  if (cause instanceof AmbiguousOrderError) {
    const candidates = cause.candidates.map(({ chainId, orderId }) => `${chainId}:${orderId}`)
    const message = `${cause.message}: name the chain, or use the vault's id`
    return queryError('AMBIGUOUS_ORDER_ID', message, { details: { candidates } })
  }
  if (cause instanceof AmbiguousIntentError) {
    return queryError('AMBIGUOUS_INTENT_ID', `${cause.message}: name one as sourceChainId`, {
      details: { candidates: cause.candidates.map(String) },
    })
  }
  if (SHARED_WITH_REST.some((type) => cause instanceof type)) return fromApiError(toApiError(cause))
  switch (findDatabaseProblem(cause)) {
    case 'not_ready':
      return notReady()
    case 'timeout':
      return queryTimeout()
    case 'unreachable':
      return queryError('DATABASE_UNREACHABLE', 'the database can’t be reached: try again', {
        status: 503,
        headers: { 'retry-after': '2' },
      })
    case null:
      return queryError('INTERNAL_ERROR', 'internal error')
  }
}

/** Errors with the same message as in REST. */
const SHARED_WITH_REST = [ApiError, AsOfError, CursorError]

/** Only errors that concern the whole request set its HTTP status. */
function fromApiError({ code, message, status, retryAfter, details }: ApiError): GraphQLError {
  return queryError(GRAPHQL_CODES.get(code) ?? (code as QueryErrorCode), message, {
    ...(status === 429 || status === 503 ? { status } : {}),
    ...(retryAfter !== null && { headers: { 'retry-after': String(retryAfter) } }),
    ...(details !== undefined && { details: details as Record<string, unknown> }),
  })
}

/** REST's codes that GraphQL names differently. */
const GRAPHQL_CODES = new Map<string, QueryErrorCode>([
  ['INVALID_REQUEST', 'BAD_USER_INPUT'],
  ['INDEX_NOT_READY', 'NOT_READY'],
])

function atPositionOf(error: GraphQLError, { message, extensions }: GraphQLError) {
  const { nodes = null, source = null, positions = null, path = null } = error
  return new GraphQLError(message, { nodes, source, positions, path, extensions })
}
