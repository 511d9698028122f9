import type { Status, Substatus } from '../intent/status.ts'

/** Types of events about an intent. */
export const INTENT_PUSH_TYPES = [
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

/** Types of events about a scheduled order. */
export const ORDER_PUSH_TYPES = [
  'order.created',
  'order.tranche_fired',
  'order.completed',
  'order.cancelled',
] as const

export const PUSH_TYPES = [...INTENT_PUSH_TYPES, ...ORDER_PUSH_TYPES] as const

export type IntentPushType = (typeof INTENT_PUSH_TYPES)[number]
export type OrderPushType = (typeof ORDER_PUSH_TYPES)[number]
export type PushType = (typeof PUSH_TYPES)[number]

/** The log behind an event; null for a passed deadline and for a reorg. */
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
  /** The intent's status when this was written; null if a reorg removed its creation. */
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

/** An event as it is sent: the body of a webhook, or the data of a server-sent event. */
export type PushEvent = {
  /** `evt_` and the sequence: the same for every receiver and every attempt. */
  id: string
  /** ISO 8601: when it was recorded. */
  timestamp: string
} & ({ type: IntentPushType; data: IntentPushData } | { type: OrderPushType; data: OrderPushData })

/** The id of a line of the journal. */
export function toPushEventId(sequence: number): string {
  return `evt_${sequence}`
}
