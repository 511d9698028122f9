/** The relayer said no, or couldn't be asked. `code` is stable, the message is for people. */
export class RelayerError extends Error {
  override readonly name = 'RelayerError'
  /** A code of the relayer's, or `TACHYON_API_UNREACHABLE`, `REQUEST_TIMEOUT`. */
  readonly code: string
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  /** For the relayer's operator. */
  readonly requestId: string | null
  /** What a program may want to know beside the code, such as the `field` that is wrong. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    failure: {
      code: string
      message: string
      status: number
      requestId?: string | null | undefined
      details?: Record<string, unknown> | null | undefined
    },
    options?: ErrorOptions,
  ) {
    super(failure.message, options)
    this.code = failure.code
    this.status = failure.status
    this.requestId = failure.requestId ?? null
    this.details = failure.details ?? {}
  }

  /** Whether the same request may succeed later: rate limits, outages, no answer. */
  get isRetryable(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}
