import { type CairnErrorCode, isRetryableCode } from './codes.ts'

/** What every error of the SDK is. `code` is stable; the message is for people. */
export class CairnError extends Error {
  override readonly name: string = 'CairnError'
  /** One of the specification's, `CONTRACT_REVERTED`, or of a RelayerError any code of the relayer's. */
  readonly code: string
  /** Whether the same request may succeed later: wait, longer each time, and send it again. */
  readonly retryable: boolean
  /** Further facts for programs, such as the `field` that is wrong. */
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
