import { GraphQLError } from 'graphql'
import { AsOfError } from '../../../services/store/asOf/resolveAsOf.ts'
import { CursorError } from '../../../services/store/database/cursor.ts'
import { storeProblemOf } from '../../../services/store/database/storeProblem.ts'
import { AmbiguousIntentError } from '../../../services/store/intents/findIntent.ts'
import { AmbiguousOrderError } from '../../../services/store/orders/findOrder.ts'
import { ApiError } from '../../http/apiError.ts'
import { toApiError } from '../../http/toApiError.ts'
import { withoutInput } from './hideInput.ts'
import { notReady } from './notReady.ts'
import { type QueryErrorCode, queryError } from './queryError.ts'

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
  const mask = createMask(onUnexpected)
  const counted = new WeakSet<object>()
  return (error: unknown): Error => {
    const isNew = !counted.has(Object(error))
    const masked = mask(error)
    if (isNew && !counted.has(masked)) onError(codeOf(masked))
    counted.add(Object(error)).add(masked)
    return masked
  }
}

function codeOf(error: Error): string {
  const { code } = error instanceof GraphQLError ? error.extensions : {}
  return typeof code === 'string' ? code : 'INTERNAL_ERROR'
}

function createMask(onUnexpected: (error: unknown) => void) {
  return (error: unknown): Error => {
    if (isMeant(error)) return withCode(withoutInput(error))
    const cause = originOf(error)
    const answer = answerTo(cause)
    if (answer.extensions.code === 'INTERNAL_ERROR') onUnexpected(cause)
    return error instanceof GraphQLError ? placed(answer, error) : answer
  }
}

/** GraphQL's own errors, and ours: no resolver threw. */
function isMeant(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && originOf(error) instanceof GraphQLError
}

function withCode(error: GraphQLError): GraphQLError {
  const origin = originOf(error) as GraphQLError
  error.extensions.code ??= origin.extensions.code ?? 'BAD_USER_INPUT'
  return error
}

function originOf(error: unknown): unknown {
  let origin = error
  while (origin instanceof GraphQLError && origin.originalError) origin = origin.originalError
  return origin
}

function answerTo(cause: unknown): GraphQLError {
  if (cause instanceof AmbiguousOrderError) {
    return queryError(
      'AMBIGUOUS_ORDER_ID',
      `${cause.message}: name the chain, or use the vault's id`,
      {
        details: {
          candidates: cause.candidates.map(({ chainId, orderId }) => `${chainId}:${orderId}`),
        },
      },
    )
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

/** The query, or one of its statements, timed out. */
export function queryTimeout(): GraphQLError {
  return queryError(
    'QUERY_TIMEOUT',
    'the query took too long: narrow it, or ask for less at a time',
    {
      status: 503,
      headers: { 'retry-after': '2' },
    },
  )
}

/** The same answer at the path and position of the error. */
function placed(answer: GraphQLError, { nodes, source, positions, path }: GraphQLError) {
  return new GraphQLError(answer.message, {
    ...(nodes && { nodes }),
    ...(source && { source }),
    ...(positions && { positions }),
    ...(path && { path }),
    extensions: answer.extensions,
  })
}
