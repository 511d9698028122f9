import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { KnownIntent, SourceFacts } from '../../src/intent/intentFacts.ts'
import type { BridgeTerms } from '../../src/intent/terms.ts'
import { type Clocks, readTime } from './chainClocks.ts'
import { findValidDelivery } from './findWinnersDelivery.ts'

/** Money that goes back to the sender. */
export type Refund = {
  /** `waiting`: too early to ask for it. `due`: anyone may call `refund` now. `done`: paid back. */
  status: 'waiting' | 'due' | 'done'
  /** What goes to the sender, in base units of tokenA: amountA + reward. What a solver forfeits goes to nobody. */
  amount: bigint
  /** Unix seconds of the source chain from which anyone may call `refund`; null once it is done. */
  claimableAt: number | null
  /**
   * Unix seconds of the destination chain from which the enclaves can attest that nothing was
   * delivered, which refunds at once; null where that isn't what the refund waits for.
   */
  attestableAt: number | null
  /** The transaction that paid it back, once done. */
  txHash: Hex | null
  /** When it was paid back, in unix seconds, once done. */
  at: number | null
}

/** The bridge's terms that its refunds depend on. */
export type RefundTerms = Pick<BridgeTerms, 'settlementGrace'>

/**
 * The refund of an intent, or null when none is owed.
 *
 * It is owed once the intent is cancelled, refunded, expired by the source chain's clock or failed
 * by the destination's. A winner's delivery only counts once it is settled: past the settlement
 * grace an unsettled intent can be refunded whatever was delivered, and then this says so.
 * `REFUND_BRANCHES` is the same rule for the database.
 */
export function deriveRefund(
  facts: KnownIntent,
  clocks: Clocks,
  terms: RefundTerms,
): Refund | null {
  const { source } = facts
  if (source.phase === 'completed') return null
  if (source.phase === 'cancelled')
    return describePaidRefund(source, source.cancelTxHash, source.cancelledAt)
  if (source.phase === 'expired' || source.phase === 'failed') {
    return describePaidRefund(source, source.refundTxHash, source.refundedAt)
  }
  return describeOwedRefund(facts, clocks, terms)
}

function describePaidRefund(source: SourceFacts, txHash: Hex | null, at: number | null): Refund {
  const amount = source.refundAmount ?? 0n
  return { status: 'done', amount, claimableAt: null, attestableAt: null, txHash, at }
}

function describeOwedRefund(facts: KnownIntent, clocks: Clocks, terms: RefundTerms): Refund | null {
  const { source } = facts
  const claimableAt = findClaimableTime(source, terms)
  const due = readTime(source.sourceChainId, clocks) >= claimableAt
  const failed = hasFailed(facts, clocks)
  if (!due && !failed) return null
  return {
    status: due ? 'due' : 'waiting',
    amount: source.amountA + source.reward,
    claimableAt,
    attestableAt: failed ? source.fillDeadline : null,
    txHash: null,
    at: null,
  }
}

/** The winner's time is over and nothing valid was delivered, so the enclaves can say so. */
function hasFailed(facts: KnownIntent, clocks: Clocks): boolean {
  const { destChainId, fillDeadline } = facts.source
  return (
    fillDeadline !== null &&
    readTime(destChainId, clocks) >= fillDeadline &&
    findValidDelivery(facts) === null
  )
}

function findClaimableTime(source: SourceFacts, terms: RefundTerms): number {
  if (source.fillDeadline !== null) return source.fillDeadline + terms.settlementGrace
  return source.bidCount === 0 ? source.endTime : source.pickupDeadline
}
