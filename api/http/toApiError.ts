import { HTTPException } from 'hono/http-exception'
import { AsOfError, type AsOfProblem } from '../../services/store/asOf/resolveAsOf.ts'
import {
  type DatabaseProblem,
  findDatabaseProblem,
} from '../../services/store/database/databaseProblem.ts'
import { CursorError } from '../../services/store/database/paginationCursor.ts'
import { AmbiguousIntentError } from '../../services/store/intents/intentLookup.ts'
import { AmbiguousOrderError } from '../../services/store/orders/findOrder.ts'
import { ApiError, BadRequestError, type ErrorCode, UnavailableError } from './apiError.ts'

/** The error as the client may see it. Anything that isn't known to be harmless becomes a plain 500. */
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
  if (error instanceof AmbiguousOrderError) {
    return new BadRequestError(
      'several orders have this id: add sourceChainId, or use the vault’s id',
      'AMBIGUOUS_ORDER_ID',
      { candidates: error.candidates.map(({ chainId, orderId }) => `${chainId}:${orderId}`) },
    )
  }
  if (error instanceof CursorError) return new BadRequestError(error.message, 'INVALID_CURSOR')
  if (error instanceof AsOfError) return asOfProblem(error)
  const problem = findDatabaseProblem(error)
  if (problem) return unavailable(problem, error)
  if (error instanceof HTTPException && error.status < 500) {
    return new BadRequestError('the request could not be parsed')
  }
  return new ApiError('internal error', { status: 500, code: 'INTERNAL_ERROR', cause: error })
}

function unavailable(problem: DatabaseProblem, cause: unknown): ApiError {
  switch (problem) {
    case 'not_ready':
      return new UnavailableError(
        'the index is being built: try again soon; GET /health shows how far it is',
        'INDEX_NOT_READY',
        5,
        cause,
      )
    case 'timeout':
      return new UnavailableError(
        'the query took too long: try again, or ask for less',
        'QUERY_TIMEOUT',
        2,
        cause,
      )
    case 'unreachable':
      return new UnavailableError(
        'the database can’t be reached: try again',
        'DATABASE_UNREACHABLE',
        2,
        cause,
      )
  }
}

/** The error code, and the seconds after which to retry if a retry can help. */
const AS_OF_ANSWERS: Record<AsOfProblem, { code: ErrorCode; retryAfter?: number }> = {
  unknown_chain: { code: 'UNSUPPORTED_CHAIN' },
  bad_choice: { code: 'INVALID_REQUEST' },
  not_indexed: { code: 'BLOCK_NOT_INDEXED' },
  before_start: { code: 'BLOCK_BEFORE_START' },
  not_ready: { code: 'INDEX_NOT_READY', retryAfter: 5 },
  no_time: { code: 'RPC_UNREACHABLE', retryAfter: 5 },
  reorg: { code: 'REORG_IN_PROGRESS', retryAfter: 5 },
}

function asOfProblem({ problem, message, details }: AsOfError): ApiError {
  const { code, retryAfter } = AS_OF_ANSWERS[problem]
  if (retryAfter !== undefined) return new UnavailableError(message, code, retryAfter)
  return new BadRequestError(message, code, Object.keys(details).length > 0 ? details : undefined)
}
