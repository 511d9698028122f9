import { HTTPException } from 'hono/http-exception'
import { CursorError } from '../../services/store/cursor.ts'
import { AmbiguousIntentError } from '../../services/store/findIntent.ts'
import { type StoreProblem, storeProblemOf } from '../../services/store/storeProblem.ts'
import { ApiError, BadRequestError, UnavailableError } from './apiError.ts'

/** What the client is told of an error. Whatever isn't known to be harmless becomes a bare 500. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof AmbiguousIntentError) {
    const candidates = error.candidates.map(String)
    return new BadRequestError(
      'the intent id exists on several chains: add sourceChainId',
      'AMBIGUOUS_INTENT_ID',
      { candidates },
    )
  }
  if (error instanceof CursorError) return new BadRequestError(error.message, 'INVALID_CURSOR')
  const problem = storeProblemOf(error)
  if (problem) return unavailable(problem, error)
  if (error instanceof HTTPException && error.status < 500) {
    return new BadRequestError('the request was not understood')
  }
  return new ApiError('internal error', { status: 500, code: 'INTERNAL_ERROR', cause: error })
}

function unavailable(problem: StoreProblem, cause: unknown): ApiError {
  switch (problem) {
    case 'not_ready':
      return new UnavailableError('the index is being built', 'INDEX_NOT_READY', 5, cause)
    case 'timeout':
      return new UnavailableError('the query took too long', 'QUERY_TIMEOUT', 2, cause)
    case 'unreachable':
      return new UnavailableError(
        'the database cannot be reached at the moment',
        'DATABASE_UNREACHABLE',
        2,
        cause,
      )
  }
}
