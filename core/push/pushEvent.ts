import type { Status, Substatus } from '../intent/status.ts'

/** What can happen to an intent, as receivers see it. */
const INTENT_PUSH_TYPES = [
  'intent.pending',
  'intent.solving',
  'intent.settled',
  'intent.completed',
  'intent.failed',
  'intent.expired',
  'intent.cancelled',
  'intent.refunded',
  'intent.reorged',
] as const

/** The same of a scheduled order. */
const ORDER_PUSH_TYPES = [
  'order.created',
  'order.tranche_fired',
  'order.completed',
  'order.cancelled',
] as const

export const PUSH_TYPES = [...INTENT_PUSH_TYPES, ...ORDER_PUSH_TYPES] as const

export type IntentPushType = (typeof INTENT_PUSH_TYPES)[number]
export type OrderPushType = (typeof ORDER_PUSH_TYPES)[number]
export type PushType = (typeof PUSH_TYPES)[number]

/** The log behind an event; null for a deadline that passed and for a reorg. */
export type PushedLog = {
  type: string
  chainId: string
  blockNumber: number
  blockHash: string
  logIndex: number
  transactionHash: string
}

/** Public facts of an intent, never a recipient. */
export type IntentPushData = {
  intentId: string
  sourceChainId: string
  destChainId: string
  /** EIP-55. */
  sender: string
  /** The winner; null before there is one. */
  solver: string | null
  tokenA: string
  tokenB: string
  /** Base units. */
  amountA: string
  expectedAmountB: string
  reward: string
  /** The intent's status when this was written; null if a reorg took back its creation. */
  status: Status | null
  substatus: Substatus | null
  /** ISO 8601: the block's time, or the deadline. */
  occurredAt: string
  chainEvent: PushedLog | null
  /** Of `intent.reorged`: the ids of the events that no longer hold. */
  reverted?: string[]
}

/** Public facts of a scheduled order. */
export type OrderPushData = {
  /** The API's id, `twap-…`. */
  orderId: string
  chainId: string
  destChainId: string
  owner: string
  status: 'active' | 'completed' | 'cancelled'
  /** Of `order.tranche_fired`: the intent that the tranche became. */
  intentId: string | null
  occurredAt: string
  chainEvent: PushedLog | null
}

/** What a receiver gets: the body of a webhook, the data of a server-sent event. */
export type PushEvent = {
  /** `evt_` and the sequence: the same for every receiver and every attempt. */
  id: string
  type: PushType
  /** ISO 8601: when it was written down. */
  timestamp: string
  data: IntentPushData | OrderPushData
}

/** The id of a line of the journal. */
export function toPushEventId(sequence: number): string {
  return `evt_${sequence}`
}
