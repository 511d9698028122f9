import type { Hex } from '../event/bridgeEvent.ts'

/** The source chain's own state of an intent. Clock-driven states are derived by `status`. */
export type Phase =
  | 'open'
  | 'bidding'
  | 'deposited'
  | 'completed'
  | 'cancelled'
  | 'expired'
  | 'failed'

/**
 * What the source chain has said of an intent: exactly a row of the table `intent`. Amounts in base
 * units, times in unix seconds; null is "has not happened (yet)".
 */
export type SourceFacts = {
  sourceChainId: number
  intentId: bigint
  phase: Phase
  sender: Hex
  destChainId: number
  tokenA: Hex
  tokenB: Hex
  amountA: bigint
  expectedAmountB: bigint
  reward: bigint
  endTime: number
  /** endTime + 2 pickup windows. */
  pickupDeadline: number
  createTxHash: Hex
  createdAt: number
  createdBlock: number
  feeBps: number | null
  anchorTxHash: Hex | null
  anchoredAt: number | null
  blobCount: number
  bidCount: number
  bestBid: bigint | null
  bestBidder: Hex | null
  solver: Hex | null
  winningAmountB: bigint | null
  bond: bigint | null
  fillDeadline: number | null
  depositTxHash: Hex | null
  depositedAt: number | null
  settleTxHash: Hex | null
  settledAt: number | null
  payout: bigint | null
  fee: bigint | null
  chain2IntentId: bigint | null
  settledSolveTxHash: Hex | null
  attester: Hex | null
  cancelTxHash: Hex | null
  cancelledAt: number | null
  refundTxHash: Hex | null
  refundedAt: number | null
  refundAmount: bigint | null
  slashedBond: bigint | null
  updatedBlock: number
  updatedAt: number
}

/** One `solveIntent` on some chain: exactly a row of the table `delivery`. Anyone can cause one. */
export type Delivery = {
  /** Chain on which it happened, which need not be the intent's destination. */
  destChainId: number
  chain2IntentId: bigint
  /** Intent that the caller says it delivers for. */
  sourceChainId: number
  intentId: bigint
  solver: Hex
  tokenB: Hex
  amountB: bigint
  solveTxHash: Hex
  solvedAt: number
  solvedBlock: number
}

/** All that chains have said of one intent. `deliveries` are ordered by (destChainId, chain2IntentId). */
export type IntentFacts = { source: SourceFacts | null; deliveries: readonly Delivery[] }

/** Facts of an intent whose creation is known. */
export type KnownIntent = { source: SourceFacts; deliveries: readonly Delivery[] }

/** Facts before any event. */
export const NO_FACTS: IntentFacts = { source: null, deliveries: [] }

/** Whether the source chain's creation of the intent has been seen. */
export function isKnown(facts: IntentFacts): facts is KnownIntent {
  return facts.source !== null
}
