import type { ChainEventType } from '../../../src/event/chainEvent.ts'

/** The events that orders are folded from: on a busy bridge, a small part of all. */
export const ORDER_EVENT_TYPES = [
  'OrderFunded',
  'TrancheFired',
  'OrderClosed',
  'IntentSettled',
  'IntentCancelled',
  'IntentRefunded',
  'VaultCreditAdded',
  'VaultCreditClaimed',
] as const satisfies ChainEventType[]
