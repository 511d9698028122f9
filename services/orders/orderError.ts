import type { OrderErrorCode } from '../../core/order/orderErrorCode.ts'

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
