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
  /** keccak256 of chain, bridge, sender and the seven arguments: what an enclave's word is about. */
  paramsHash: Hex
  phase: Phase
  sender: Hex
  destChainId: number
  tokenA: Hex
  tokenB: Hex
  amountA: bigint
  expectedAmountB: bigint
  reward: bigint
  endTime: number
  /** Recipients stand from here on, and an intent with a bid can't be cancelled. */
  firmAt: number
  /** endTime + 2 pickup windows. */
  pickupDeadline: number
  createTxHash: Hex
  createdAt: number
  createdBlock: number
  /** Signatures of different operators that a reveal, a settlement or a NotDelivered needs. */
  quorum: number
  /** The scheduled order of which it is a tranche, and its number there, from 0; null if of none. */
  orderId: Hex | null
  trancheIndex: number | null
  feeBps: number | null
  /** Most recipients of the delivery, a power of two, once anchored. */
  recipientClass: number | null
  anchorTxHash: Hex | null
  anchoredAt: number | null
  /** Blobs on chain before firmAt, empty ones left out. */
  blobCount: number
  /** The contract's commitment to those blobs; zero while there is none. */
  blobsHash: Hex
  bidCount: number
  bestBid: bigint | null
  bestBidder: Hex | null
  solver: Hex | null
  winningAmountB: bigint | null
  bond: bigint | null
  fillDeadline: number | null
  depositTxHash: Hex | null
  depositedAt: number | null
  /** When the winner said on chain that it hadn't been told the recipients. */
  askedAt: number | null
  askTxHash: Hex | null
  /** When the recipients, sealed to the winner, were put on chain. */
  revealedAt: number | null
  revealTxHash: Hex | null
  settleTxHash: Hex | null
  settledAt: number | null
  payout: bigint | null
  fee: bigint | null
  /** The delivery that the settlement names. */
  chain2IntentId: bigint | null
  attester: Hex | null
  cancelTxHash: Hex | null
  cancelledAt: number | null
  refundTxHash: Hex | null
  refundedAt: number | null
  refundAmount: bigint | null
  /** What the best bidder or winner lost by the refund, of its stake. */
  forfeitedBond: bigint | null
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
  /** Terms of that intent, as the caller names them. */
  paramsHash: Hex
  solver: Hex
  tokenB: Hex
  /** Paid or credited to all recipients. */
  amountB: bigint
  /** Of that, what the token refused to move: it waits in the bridge for its recipients. */
  credited: bigint
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
