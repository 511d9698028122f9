import { GraphQLError } from 'graphql'
import { AsOfError } from '../../../services/store/asOf/resolveAsOf.ts'
import { CursorError } from '../../../services/store/database/cursor.ts'
import { storeProblemOf } from '../../../services/store/database/storeProblem.ts'
import { AmbiguousIntentError } from '../../../services/store/intents/findIntent.ts'
import { AmbiguousOrderError } from '../../../services/store/orders/findOrder.ts'
import { ApiError } from '../../http/apiError.ts'
import { toApiError } from '../../http/toApiError.ts'
import { withoutInput } from './hideInput.ts'
import { notReady, type QueryErrorCode, queryError, queryTimeout } from './queryError.ts'

/**
 * Makes the function that decides what clients see of an error. Errors meant for them pass; of any
 * other they get a code, and `onUnexpected` gets all of it.
 *
 * @param onError called with the code of each, once however often it passes here
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
    // GraphQL's own errors, and ours: no resolver threw.
    const shown = withoutInput(error)
    shown.extensions.code ??= origin.extensions.code ?? 'BAD_USER_INPUT'
    return shown
  }
  const answer = answerTo(origin)
  if (answer.extensions.code === 'INTERNAL_ERROR') onUnexpected(origin)
  return error instanceof GraphQLError ? placed(answer, error) : answer
}

function originOf(error: unknown): unknown {
  let origin = error
  while (origin instanceof GraphQLError && origin.originalError) origin = origin.originalError
  return origin
}

function answerTo(cause: unknown): GraphQLError {
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
  if (KNOWN_TO_REST.some((kind) => cause instanceof kind)) return asShown(toApiError(cause))
  switch (storeProblemOf(cause)) {
    case 'not_ready':
      return notReady()
    case 'timeout':
      return queryTimeout()
    case 'unreachable':
      return queryError('DATABASE_UNREACHABLE', 'the database cannot be reached at the moment', {
        status: 503,
        headers: { 'retry-after': '2' },
      })
    case null:
      return queryError('INTERNAL_ERROR', 'internal error')
  }
}

/** Errors that have the same message as in REST. */
const KNOWN_TO_REST = [ApiError, AsOfError, CursorError]

/**
 * What REST would answer. An error that doesn't concern the whole request leaves the rest of the answer as it
 * is.
 */
function asShown({ code, message, status, retryAfter, details }: ApiError): GraphQLError {
  return queryError(OWN_WORDS.get(code) ?? (code as QueryErrorCode), message, {
    ...(status === 429 || status === 503 ? { status } : {}),
    ...(retryAfter !== null && { headers: { 'retry-after': String(retryAfter) } }),
    ...(details !== undefined && { details: details as Record<string, unknown> }),
  })
}

/** Where GraphQL's code differs from REST's. */
const OWN_WORDS = new Map<string, QueryErrorCode>([
  ['INVALID_REQUEST', 'BAD_USER_INPUT'],
  ['INDEX_NOT_READY', 'NOT_READY'],
])

/** The same answer at the path and position of the error. */
function placed({ message, extensions }: GraphQLError, error: GraphQLError) {
  const { nodes = null, source = null, positions = null, path = null } = error
  return new GraphQLError(message, { nodes, source, positions, path, extensions })
}
