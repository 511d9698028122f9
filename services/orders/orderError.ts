/** Why the service refuses a request. The API returns these codes, so they are stable. */
export type OrderErrorCode =
  | 'INVALID_SIGNATURE'
  | 'SIGNER_MISMATCH'
  | 'DECRYPTION_FAILED'
  | 'VALIDATION_FAILED'
  | 'FUNDING_FAILED'
  | 'FUNDING_PENDING'
  | 'GAS_NOT_PAID'
  | 'CANCEL_PENDING'
  | 'OUT_OF_GAS'
  | 'ORDER_NOT_FOUND'
  | 'TRANCHE_NOT_WAITING'
  | 'RPC_UNREACHABLE'
  | 'ENCLAVE_UNREACHABLE'

/** A refusal whose message the client may see. */
export class OrderError extends Error {
  override readonly name = 'OrderError'
  readonly code: OrderErrorCode
  readonly details: Record<string, unknown> | undefined

  constructor(code: OrderErrorCode, message: string, details?: Record<string, unknown>) {
    super(message)
    this.code = code
    this.details = details
  }
}
