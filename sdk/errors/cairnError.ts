import { type CairnErrorCode, isRetryableCode } from './errorCodes.ts'

/** Base class of the SDK's errors. `code` is stable; the message is for people. */
export class CairnError extends Error {
  override readonly name: string = 'CairnError'
  /** A `CairnErrorCode` or, in a RelayerError, any other code of the relayer. */
  readonly code: CairnErrorCode | (string & {})
  /** Whether the same request may succeed later: retry with backoff. */
  readonly retryable: boolean
  /** Further facts for programs, such as the invalid `field`. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: CairnErrorCode | (string & {}),
    message: string,
    {
      details = {},
      retryable = isRetryableCode(code),
      ...options
    }: ErrorOptions & { details?: Record<string, unknown>; retryable?: boolean } = {},
  ) {
    super(message, options)
    this.code = code
    this.retryable = retryable
    this.details = details
  }
}
