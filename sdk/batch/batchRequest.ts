import type { IntentRequest } from '../client/intentRequest.ts'

/** Many payments of one token: a payroll. Amounts are in base units, of all payments together. */
export type BatchRequest = Omit<IntentRequest, 'deadline'> & {
  /**
   * Any number; more than 200 are split into several intents. Their amounts add up to at most
   * `minAmountOut`.
   */
  recipients: IntentRequest['recipients']
  /** How long each intent's auction lasts; 60 to 300 for payroll. */
  auctionSeconds: number
}
