import type { Windows } from '../bridgeWindows.ts'
import { isValidDelivery, type ObservedIntent } from './observedIntent.ts'
import type { Scenario, ScenarioKind } from './scenario.ts'

/** An action on an intent, by its sender or the rogue solver. */
export type Step =
  | { do: 'store'; by: 'sender' }
  | { do: 'cancel' | 'refund'; by: 'sender' }
  /** Makes the token refuse the first recipient, or lets it accept again and pays what was credited. */
  | { do: 'blacklist' | 'unblacklist'; by: 'sender' }
  | { do: 'bid' | 'deposit'; by: 'rogue'; amountB: bigint }
  | { do: 'ask'; by: 'rogue' }
  /** `named`: whether it pays the recipients the sender named, or others. */
  | { do: 'deliver'; by: 'rogue'; amountB: bigint; named: boolean }

/** Timestamps of the two chains' latest blocks, unix seconds. */
export type Clocks = { source: number; destination: number }

/** Seconds before an auction's end at which the rogue outbids everyone: after the solvers' last bids. */
const LAST_MOMENT = 2

/** Won by the rogue, which deposits. */
const DEPOSITING: readonly ScenarioKind[] = [
  'undelivered',
  'asked',
  'lateDelivery',
  'shortDelivery',
]

/**
 * The step that is due now for a sender's intent, or null. Depends on the chains and the scenario alone, so a restarted
 * player resumes where the chains are.
 *
 * @param rogue the rogue solver's address
 */
export function findNextIntentStep(
  intent: ObservedIntent,
  scenario: Scenario,
  clocks: Clocks,
  windows: Windows,
  rogue: string,
): Step | null {
  return intent.phase === 'open'
    ? stepOfOpen(intent, scenario, clocks.source, windows, rogue)
    : stepOfDeposited(intent, scenario, clocks, windows, rogue)
}

function stepOfOpen(
  intent: ObservedIntent,
  scenario: Scenario,
  now: number,
  windows: Windows,
  rogue: string,
): Step | null {
  if (now >= intent.endTime) return stepAfterAuction(intent, scenario, now, windows, rogue)
  if (scenario.kind === 'cancelledAtOnce') return { do: 'cancel', by: 'sender' }
  if (scenario.kind === 'unanchored') return null
  if (intent.feeBps === 0)
    return intent.blobAtCreation || intent.isStored ? null : { do: 'store', by: 'sender' }
  // After half of the auction, so that readers see it pending.
  if (scenario.kind === 'cancelledLater')
    return now >= intent.endTime - scenario.auctionSeconds / 2 && intent.solver === null
      ? { do: 'cancel', by: 'sender' }
      : null
  if (scenario.kind === 'refused' && !intent.refusesFirst) return { do: 'blacklist', by: 'sender' }
  return rogueBid(intent, scenario, now, rogue)
}

function rogueBid(
  intent: ObservedIntent,
  scenario: Scenario,
  now: number,
  rogue: string,
): Step | null {
  const { solver, amountB, expectedAmountB } = intent
  const bid = (amount: bigint): Step => ({ do: 'bid', by: 'rogue', amountB: amount })
  switch (scenario.kind) {
    case 'abandoned':
    case 'undelivered':
    case 'asked':
    case 'lateDelivery':
    case 'shortDelivery':
      return solver === null ? bid(expectedAmountB) : null
    case 'spoiled':
      return isSame(solver, rogue) ? null : bid(expectedAmountB * 10n)
    case 'rescued': {
      const isLastMoment = now >= intent.endTime - LAST_MOMENT
      if (!isLastMoment || isSame(solver, rogue)) return null
      // Outbids by so little that the deposit pays once the price has fallen.
      return bid(((amountB > expectedAmountB ? amountB : expectedAmountB) * 1_002n) / 1_000n)
    }
    default:
      return null
  }
}

function stepAfterAuction(
  intent: ObservedIntent,
  scenario: Scenario,
  now: number,
  windows: Windows,
  rogue: string,
): Step | null {
  if (intent.solver === null) return refundFrom(intent.endTime, scenario, now)
  const second = intent.endTime + windows.pickup
  const closed = second + windows.pickup
  if (now >= closed) return refundFrom(closed, scenario, now)
  if (!DEPOSITING.includes(scenario.kind) || !isSame(intent.solver, rogue)) return null
  return { do: 'deposit', by: 'rogue', amountB: intent.amountB }
}

function stepOfDeposited(
  intent: ObservedIntent,
  scenario: Scenario,
  clocks: Clocks,
  windows: Windows,
  rogue: string,
): Step | null {
  if (intent.delivery && intent.refusesFirst) return { do: 'unblacklist', by: 'sender' }
  // Delivered as promised: settle it, whatever the time.
  if (isValidDelivery(intent)) return null
  const refundable = intent.fillDeadline + windows.grace
  if (clocks.source >= refundable) return refundFrom(refundable, scenario, clocks.source)
  if (intent.delivery !== null || !isSame(intent.solver, rogue)) return null
  if (scenario.kind === 'asked') return askedDelivery(intent, clocks, windows)
  return rogueDelivery(intent, scenario, clocks.destination)
}

/** The rogue reports it in the second quarter of its time, and delivers as soon as it is answered. */
function askedDelivery(
  intent: ObservedIntent,
  clocks: Clocks,
  { execution }: Windows,
): Step | null {
  const { fillDeadline, asked, revealed, amountB } = intent
  if (revealed)
    return clocks.destination < fillDeadline
      ? { do: 'deliver', by: 'rogue', amountB, named: true }
      : null
  const depositedAt = fillDeadline - execution
  const isTime =
    clocks.source >= depositedAt + Math.floor(execution / 4) &&
    clocks.source + 1 < depositedAt + Math.floor(execution / 2)
  return isTime && !asked ? { do: 'ask', by: 'rogue' } : null
}

function rogueDelivery(intent: ObservedIntent, scenario: Scenario, now: number): Step | null {
  const isLate = now >= intent.fillDeadline
  const deliver = (amountB: bigint): Step => ({ do: 'deliver', by: 'rogue', amountB, named: false })
  if (scenario.kind === 'lateDelivery' && isLate) return deliver(intent.amountB)
  if (scenario.kind === 'shortDelivery' && !isLate) return deliver((intent.amountB * 9n) / 10n)
  return null
}

function refundFrom(possible: number, scenario: Scenario, now: number): Step | null {
  return now >= possible + scenario.refundAfter ? { do: 'refund', by: 'sender' } : null
}

function isSame(one: string | null, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase()
}
