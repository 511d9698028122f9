import type { IntentRequest } from '../client/intentRequest.ts'

/** Many payments of one token: a payroll. Amounts are in base units, of all payments together. */
export type BatchRequest = Omit<IntentRequest, 'deadline'> & {
  /**
   * Any number; an intent pays 200 at most, so that more of them are split. Their amounts add up to
   * `minAmountOut` at most.
   */
  recipients: IntentRequest['recipients']
  /** How long each intent's auction lasts; 60 to 300 for payroll. */
  auctionSeconds: number
}
