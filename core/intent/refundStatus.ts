import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { BridgeTerms } from '../../src/intent/bridgeTerms.ts'
import type { KnownIntent, SourceFacts } from '../../src/intent/intentFacts.ts'
import { type Clocks, readTime } from './chainClocks.ts'
import { findValidDelivery } from './findWinnersDelivery.ts'

/** A refund to the sender. */
export type Refund = {
  /** `waiting`: too early. `due`: anyone may call `refund` now. `done`: paid. */
  status: 'waiting' | 'due' | 'done'
  /** The sender's share in base units of tokenA: amountA + reward. It gets nothing of what a solver forfeits. */
  amount: bigint
  /** Unix seconds of the source chain from which anyone may call `refund`; null once it is done. */
  claimableAt: number | null
  /**
   * Unix seconds of the destination chain from which the enclaves can attest that nothing was delivered, which refunds
   * at once; null when the refund doesn't depend on that.
   */
  attestableAt: number | null
  /** The transaction that paid it, once done. */
  txHash: Hex | null
  /** When it was paid, in unix seconds, once done. */
  at: number | null
}

/** The bridge's terms on which its refunds depend. */
export type RefundTerms = Pick<BridgeTerms, 'settlementGrace'>

/**
 * An intent's refund; null when none is owed.
 *
 * A refund is owed once the intent is cancelled, refunded, expired by the source chain's clock or failed by the
 * destination's. A winner's delivery only counts once it is settled: after the settlement grace an unsettled intent can
 * be refunded despite any delivery, and this reports it. `REFUND_BRANCHES` is the same rule for the database.
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

/** The winner's time is over without a valid delivery, so the enclaves can attest that. */
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
