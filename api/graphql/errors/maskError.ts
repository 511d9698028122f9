import { GraphQLError } from 'graphql'
import { AmbiguousIntentError } from '../../../services/store/findIntent.ts'
import { storeProblemOf } from '../../../services/store/storeProblem.ts'
import { notReady } from './notReady.ts'
import { queryError } from './queryError.ts'

/**
 * Makes the function that decides what clients may know of an error. Errors meant for them pass; of
 * any other they learn a code, and `onUnexpected` is told the whole of it.
 */
export function createMaskError(onUnexpected: (error: unknown) => void) {
  return (error: unknown): Error => {
    if (isMeant(error)) return withCode(error)
    const cause = originOf(error)
    const answer = answerTo(cause)
    if (answer.extensions.code === 'INTERNAL_ERROR') onUnexpected(cause)
    return error instanceof GraphQLError ? placed(answer, error) : answer
  }
}

/** GraphQL's own complaints, and ours: nothing below threw. */
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
  if (cause instanceof AmbiguousIntentError) {
    return queryError('AMBIGUOUS_INTENT_ID', `${cause.message}: name one as sourceChainId`, {
      details: { candidates: cause.candidates.map(String) },
    })
  }
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

/** The query, or a statement of it, was given up after its time. */
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
