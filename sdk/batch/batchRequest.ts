import type { IntentRequest } from '../client/intentRequest.ts'

/** Many payments of one token, such as a payroll. Amounts are totals of all payments, in base units. */
export type BatchRequest = Omit<IntentRequest, 'deadline'> & {
  /**
   * Any number; more than 200 are split into several intents. Their amounts may add up to at most
   * `minAmountOut`.
   */
  recipients: IntentRequest['recipients']
  /** Auction length of each intent in seconds; 60 to 300 suits a payroll. */
  auctionSeconds: number
}
