import type { OrderErrorCode } from '../../core/order/orderErrorCode.ts'
import type { SponsorErrorCode } from '../../core/safe/sponsorErrorCode.ts'

/** Stable error codes. Where the specification names one, it is used. */
export type ErrorCode =
  | SponsorErrorCode
  | OrderErrorCode
  | 'INVALID_REQUEST'
  | 'INVALID_JSON'
  | 'INVALID_CURSOR'
  | 'UNSUPPORTED_CHAIN'
  | 'AMBIGUOUS_INTENT_ID'
  | 'AMBIGUOUS_ORDER_ID'
  | 'AMBIGUOUS_TRANSACTION'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'INTENT_NOT_FOUND'
  | 'SOLVER_NOT_FOUND'
  | 'PAYLOAD_TOO_LARGE'
  | 'RATE_LIMITED'
  | 'INDEX_NOT_READY'
  | 'DATABASE_UNREACHABLE'
  | 'QUERY_TIMEOUT'
  | 'REORG_IN_PROGRESS'
  | 'BLOCK_NOT_INDEXED'
  | 'BLOCK_BEFORE_START'
  | 'HISTORY_BUSY'
  | 'PROOF_NOT_VERIFIED'
  | 'PROOF_BUSY'
  | 'BLOCK_TOO_LARGE'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'STALE_TIMESTAMP'
  | 'SIGNATURE_REQUIRED'
  | 'NOT_THE_WINNER'
  | 'NOT_DEPOSITED'
  | 'NOT_A_READER'
  | 'NOT_SETTLED'
  | 'UNKNOWN_INTENT'
  | 'INTENT_CLOSED'
  | 'BUNDLE_OF_ANOTHER_INTENT'
  | 'BUNDLE_INVALID'
  | 'BUNDLE_UNREADABLE'
  | 'INVALID_RECIPIENT'
  | 'ALREADY_STORED'
  | 'CIPHERTEXT_REUSED'
  | 'AMOUNT_BELOW_MINIMUM'
  | 'AMOUNT_ABOVE_MAXIMUM'
  | 'CREATION_PAUSED'
  | 'QUOTES_BUSY'
  | 'FEE_TIER_FIXED'
  | 'RECIPIENT_CLASS_FIXED'
  | 'RECIPIENTS_DISPUTED'
  | 'NOT_SIGNED_YET'
  | 'RECIPIENTS_NOT_FOUND'
  | 'METADATA_TOO_LARGE'
  | 'UNSUPPORTED_ASSET'
  | 'INTENT_TERMINAL'
  | 'ALREADY_SETTLED'
  | 'DEPOSIT_MISMATCH'
  | 'DESTINATION_MISMATCH'
  | 'SOLVE_NOT_FOUND'
  | 'SOLVE_MISMATCH'
  | 'SETTLEMENT_REVERTED'
  | 'DELIVERY_INVALID'
  | 'NOT_CONFIRMED'
  | 'RECIPIENTS_UNKNOWN'
  | 'NO_SEALING_KEY'
  | 'RECIPIENTS_NOT_PAID'
  | 'SETTLEMENT_PENDING'
  | 'SETTLEMENT_BUSY'
  | 'RELAYER_OUT_OF_GAS'
  | 'REACTIONS_STOPPED'
  | 'RECIPIENT_NOT_REGISTERED'
  | 'NOT_YOUR_ADDRESS'
  | 'TRANSACTION_PENDING'
  | 'WEBHOOK_NOT_FOUND'
  | 'WEBHOOK_URL_REFUSED'
  | 'WEBHOOK_LIMIT_REACHED'
  | 'WEBHOOKS_NOT_READY'
  | 'SIGNATURE_USED'
  | 'STOPPING'
  | 'INTERNAL_ERROR'

type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 500 | 503

type ApiErrorOptions = {
  status: ErrorStatus
  code: ErrorCode
  /** Machine-readable facts; must be serializable as JSON. */
  details?: unknown
  /** Whole seconds after which the same request may succeed. */
  retryAfter?: number
  cause?: unknown
}

/** A failure whose message is sent to the client unchanged, so it must not reveal anything internal. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: ErrorStatus
  readonly code: ErrorCode
  readonly details: unknown
  readonly retryAfter: number | null

  constructor(message: string, { status, code, details, retryAfter, cause }: ApiErrorOptions) {
    super(message, { cause })
    this.status = status
    this.code = code
    this.details = details
    this.retryAfter = retryAfter ?? null
  }
}

/** The request is wrong: repeating it unchanged fails again. */
export class BadRequestError extends ApiError {
  override name = 'BadRequestError'

  constructor(message: string, code: ErrorCode = 'INVALID_REQUEST', details?: unknown) {
    super(message, { status: 400, code, details })
  }
}

export class NotFoundError extends ApiError {
  override name = 'NotFoundError'

  constructor(message: string, code: ErrorCode, details?: unknown) {
    super(message, { status: 404, code, details })
  }
}

export class RateLimitedError extends ApiError {
  override name = 'RateLimitedError'
  /** The exhausted limit, as `RateLimit-Policy` and `RateLimit` describe it. */
  readonly notice: { policy: string; limit: string }

  constructor(retryAfter: number, { policy, limit }: { policy: string; limit: string }) {
    super('too many requests: wait the number of seconds in Retry-After', {
      status: 429,
      code: 'RATE_LIMITED',
      retryAfter,
    })
    this.notice = { policy, limit }
  }
}

/** The request can't be answered now; a retry may succeed. */
export class UnavailableError extends ApiError {
  override name = 'UnavailableError'

  constructor(message: string, code: ErrorCode, retryAfter: number, cause?: unknown) {
    super(message, { status: 503, code, retryAfter, cause })
  }
}
