import { size } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../src/event/chainEvent.ts'
import { evolveOrder } from '../../src/order/evolveOrder.ts'
import type { OrderFacts } from '../../src/order/orderFacts.ts'

/**
 * Outcome of a tranche. If it came back to its owner: `failed` if the winner didn't deliver, `refunded` if there was no
 * winner.
 */
type TrancheOutcome = 'open' | 'settled' | 'cancelled' | 'refunded' | 'failed'

/** By the contract's refund reasons. */
const UNDELIVERED = 1

/** A fired tranche: an intent of the owner. */
export type Tranche = {
  intentId: bigint
  /** Time of its block, unix seconds. */
  firedAt: number
  /** The sender, who paid the gas. */
  firedBy: Hex
  txHash: Hex
  outcome: TrancheOutcome
}

/** An order with its tranches, first to last, and what its owner submitted. */
export type OrderState = {
  facts: OrderFacts
  /** Null once the order is over: its owner has the tokens back, and could fill the memory with one order after the other. */
  encrypted: Hex | null
  /** Bytes of the ciphertext. */
  size: number
  /** The funding's sender, who paid the gas. */
  fundedBy: Hex
  /** The close's sender; null while the order isn't closed. */
  closedBy: Hex | null
  tranches: readonly Tranche[]
}

/**
 * The state after one more event about the order: the vault's, or the bridge's about one of its tranches. Total, like
 * `evolveOrder`; needs no clock.
 */
export function evolveOrderState(state: OrderState | null, event: ChainEvent): OrderState | null {
  const facts = evolveOrder(state?.facts ?? null, event)
  if (facts === null) return null
  if (event.type === 'OrderFunded') {
    const { args, point } = event
    const { transactionFrom: fundedBy } = point
    const { encrypted } = args
    return { facts, encrypted, size: size(encrypted), fundedBy, closedBy: null, tranches: [] }
  }
  if (state === null || facts === state.facts) return state
  const closedBy = event.type === 'OrderClosed' ? event.point.transactionFrom : state.closedBy
  return { ...state, facts, closedBy, tranches: evolveTranches(state.tranches, event) }
}

function evolveTranches(tranches: readonly Tranche[], event: ChainEvent): readonly Tranche[] {
  switch (event.type) {
    case 'TrancheFired': {
      const { blockTimestamp: firedAt, transactionFrom: firedBy, transactionHash } = event.point
      const { intentId } = event.args
      return [...tranches, { intentId, firedAt, firedBy, txHash: transactionHash, outcome: 'open' }]
    }
    case 'IntentSettled':
    case 'IntentCancelled':
    case 'IntentRefunded': {
      const { intentId } = event.args
      const outcome = toOutcome(event)
      return tranches.map((one) => (one.intentId === intentId ? { ...one, outcome } : one))
    }
    default:
      return tranches
  }
}

type TrancheEnd = Extract<
  ChainEvent,
  { type: 'IntentSettled' | 'IntentCancelled' | 'IntentRefunded' }
>

function toOutcome(event: TrancheEnd): TrancheOutcome {
  switch (event.type) {
    case 'IntentSettled':
      return 'settled'
    case 'IntentCancelled':
      return 'cancelled'
    case 'IntentRefunded':
      return event.args.reason === UNDELIVERED ? 'failed' : 'refunded'
  }
}
