/** Why nothing is sent for a Safe's owner. Codes are the API's own. */
export type SponsorErrorCode =
  | 'UNKNOWN_SAFE'
  | 'SAFE_NOT_PAID'
  | 'PAYMENT_UNCONFIRMED'
  | 'SAFE_NOT_DEPLOYED'
  | 'SAFE_NOT_OFFICIAL'
  | 'SAFE_OWNER_CHANGED'
  | 'SAFE_NONCE_MISMATCH'
  | 'SAFE_BUSY'
  | 'CALL_NOT_ALLOWED'
  | 'INVALID_SIGNATURE'
  | 'RELAY_PROXY_REVERTED'
  | 'RELAY_GAS_TOO_HIGH'
  | 'RELAY_BUDGET_SPENT'
  | 'FEE_ALLOWANCE_SPENT'

/** A transaction that the relayer doesn't pay for. The message says what to do. */
export class SponsorError extends Error {
  override readonly name = 'SponsorError'
  readonly code: SponsorErrorCode
  /** Facts for programs. */
  readonly details: Record<string, unknown> | undefined

  constructor(code: SponsorErrorCode, message: string, details?: Record<string, unknown>) {
    super(message)
    this.code = code
    this.details = details
  }
}
