import { CairnError } from '../errors/cairnError.ts'

/**
 * The relayer refused, or is unreachable. `code` is stable, the message is for people. `details.problems` lists what is wrong
 * with an invalid request; `details.retryAfterSeconds` is how long to wait, if the relayer says so.
 */
export class RelayerError extends CairnError {
  override readonly name = 'RelayerError'
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  /** The relayer's id of the request, for its operator. */
  readonly requestId: string | null

  constructor(
    failure: {
      /** A code from the relayer, or `ANSWER_INVALID`, `TACHYON_API_UNREACHABLE`, `REQUEST_TIMEOUT`. */
      code: string
      message: string
      status: number
      requestId?: string | null
      details?: Record<string, unknown>
      /** Default: by the status. */
      retryable?: boolean
    },
    options?: ErrorOptions,
  ) {
    const { code, message, status, requestId = null, details = {} } = failure
    const { retryable = status === 0 || status === 429 || status >= 500 } = failure
    super(code, message, { ...options, details, retryable })
    this.status = status
    this.requestId = requestId
  }
}
