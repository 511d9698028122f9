import type { KnownIntent, Phase, SourceFacts } from '../../src/intent/intentFacts.ts'
import { type Clocks, readTime } from './chainClocks.ts'
import { findValidDelivery, isByWinner } from './findWinnersDelivery.ts'

/** An intent's status, in the specification's words. */
export type Status =
  | 'pending'
  | 'solving'
  | 'settled'
  | 'completed'
  | 'failed'
  | 'expired'
  | 'cancelled'

export const STATUSES: readonly Status[] = [
  'pending',
  'solving',
  'settled',
  'completed',
  'failed',
  'expired',
  'cancelled',
]

/** Why an intent has its status. */
export type Substatus =
  // pending
  | 'awaiting_anchor'
  | 'awaiting_bids'
  | 'auction_running'
  | 'awaiting_best_bidder'
  | 'awaiting_any_solver'
  // solving, settled, completed, cancelled
  | 'awaiting_delivery'
  | 'awaiting_recipients'
  | 'awaiting_settlement'
  | 'solver_paid'
  | 'cancelled_by_sender'
  // expired
  | 'no_bids'
  | 'no_deposit'
  // failed
  | 'not_delivered'
  | 'delivery_invalid'
  | 'delivered_unsettled'
  | 'recipients_withheld'

export type IntentStatus = {
  status: Status
  substatus: Substatus
  /** A chain event has ended it: completed, cancelled or refunded. A passed deadline alone is not final. */
  isTerminal: boolean
}

const TERMINAL_PHASES: ReadonlySet<Phase> = new Set(['completed', 'cancelled', 'expired', 'failed'])

/**
 * An intent's status, from the chains' events and clocks.
 *
 * Every window is half-open. On a chain without a clock, nothing is late. `STATUS_BRANCHES` is the same rule for the
 * database.
 */
export function deriveStatus(facts: KnownIntent, clocks: Clocks): IntentStatus {
  const [word, substatus] = deriveWords(facts, clocks)
  return { status: word, substatus, isTerminal: TERMINAL_PHASES.has(facts.source.phase) }
}

function deriveWords(facts: KnownIntent, clocks: Clocks): [Status, Substatus] {
  const { source } = facts
  switch (source.phase) {
    case 'open':
    case 'bidding':
      return deriveAuctionStatus(source, clocks)
    case 'deposited':
      return deriveFulfilmentStatus(facts, clocks)
    case 'completed':
      return ['completed', 'solver_paid']
    case 'cancelled':
      return ['cancelled', 'cancelled_by_sender']
    case 'expired':
      return ['expired', explainExpiry(source)]
    case 'failed':
      return ['failed', explainFailure(facts)]
  }
}

function deriveAuctionStatus(source: SourceFacts, clocks: Clocks): [Status, Substatus] {
  const now = readTime(source.sourceChainId, clocks)
  const end = source.phase === 'open' ? source.endTime : source.pickupDeadline
  if (now >= end) return ['expired', explainExpiry(source)]
  if (source.phase === 'open') {
    return ['pending', source.feeBps === null ? 'awaiting_anchor' : 'awaiting_bids']
  }
  if (now < source.endTime) return ['pending', 'auction_running']
  // Two windows of equal length lie between endTime and pickupDeadline.
  const anyoneFrom = (source.endTime + source.pickupDeadline) / 2
  return ['pending', now < anyoneFrom ? 'awaiting_best_bidder' : 'awaiting_any_solver']
}

function deriveFulfilmentStatus(facts: KnownIntent, clocks: Clocks): [Status, Substatus] {
  const { destChainId, fillDeadline } = facts.source
  if (findValidDelivery(facts)) return ['settled', 'awaiting_settlement']
  const late = fillDeadline !== null && readTime(destChainId, clocks) >= fillDeadline
  if (late) return ['failed', explainFailure(facts)]
  return ['solving', awaitsReveal(facts.source) ? 'awaiting_recipients' : 'awaiting_delivery']
}

/** The winner has reported on chain that it has no recipients, and nothing has been revealed since. */
function awaitsReveal({ askedAt, revealedAt }: SourceFacts): boolean {
  return askedAt !== null && revealedAt === null
}

function explainExpiry(source: SourceFacts): Substatus {
  return source.bidCount === 0 ? 'no_bids' : 'no_deposit'
}

function explainFailure(facts: KnownIntent): Substatus {
  if (findValidDelivery(facts)) return 'delivered_unsettled'
  const tried = facts.deliveries.some((delivery) => isByWinner(facts.source, delivery))
  if (tried) return 'delivery_invalid'
  return awaitsReveal(facts.source) ? 'recipients_withheld' : 'not_delivered'
}
