import type { Windows } from '../windows.ts'
import type { Fate } from './fate.ts'
import { isValidDelivery, type ObservedIntent } from './observedIntent.ts'

/** One transaction that the player should send about an intent. `solver` counts from 0. */
export type Step =
  | { do: 'anchor' }
  | { do: 'cancel' }
  | { do: 'bid'; solver: number; amountB: bigint }
  | { do: 'deposit'; solver: number; amountB: bigint }
  | { do: 'solve'; solver: number; amountB: bigint }
  | { do: 'settle' }
  | { do: 'refund' }

/** Timestamps of the two chains' latest blocks, unix seconds. */
export type Clocks = { source: number; destination: number }

/**
 * What is due for an intent now, or null. It depends on nothing but the chains and the fate, so a
 * player that was stopped goes on where the chains stand.
 *
 * @param solverIndex position of a solver among ours, -1 for a stranger
 */
export function nextStep(
  intent: ObservedIntent,
  fate: Fate,
  clocks: Clocks,
  windows: Windows,
  solverIndex: (address: string) => number,
): Step | null {
  return intent.phase === 'open'
    ? stepOfOpen(intent, fate, clocks.source, windows, solverIndex)
    : stepOfDeposited(intent, fate, clocks, windows, solverIndex)
}

function stepOfOpen(
  intent: ObservedIntent,
  fate: Fate,
  now: number,
  windows: Windows,
  solverIndex: (address: string) => number,
): Step | null {
  if (now >= intent.endTime) return stepAfterAuction(intent, fate, now, windows, solverIndex)
  if (fate.kind === 'cancelledAtOnce') return { do: 'cancel' }
  if (fate.kind === 'unanchored') return null
  if (intent.feeBps === 0) return { do: 'anchor' }
  // Half of the auction has gone by: time enough for readers to see it pending.
  if (fate.kind === 'cancelledLater')
    return now >= intent.endTime - fate.auctionSeconds / 2 ? { do: 'cancel' } : null
  return nextBid(intent, fate)
}

function nextBid(intent: ObservedIntent, fate: Fate): Step | null {
  for (const { solver, marginBps } of fate.bids) {
    const amountB = withMargin(intent.expectedAmountB, marginBps)
    if (amountB > intent.amountB) return { do: 'bid', solver, amountB }
  }
  return null
}

function stepAfterAuction(
  intent: ObservedIntent,
  fate: Fate,
  now: number,
  windows: Windows,
  solverIndex: (address: string) => number,
): Step | null {
  if (intent.solver === null) return refundFrom(intent.endTime, fate, now)
  const second = intent.endTime + windows.pickup
  const closed = second + windows.pickup
  if (now >= closed) return refundFrom(closed, fate, now)
  if (fate.kind === 'abandoned') return null
  const best = solverIndex(intent.solver)
  if (now < second) {
    // A deposit sent in the window's last second is mined after it.
    const isTooLate = now + 1 === second
    if (fate.kind === 'rescued' || best < 0 || isTooLate) return null
    return { do: 'deposit', solver: best, amountB: intent.amountB }
  }
  // Whoever comes second: a rescuer by plan, or anybody when the best bidder was too slow.
  const rescuer = (best + 1) % SOLVERS
  return { do: 'deposit', solver: rescuer, amountB: intent.expectedAmountB }
}

/** How many solvers take part. */
export const SOLVERS = 4

function stepOfDeposited(
  intent: ObservedIntent,
  fate: Fate,
  clocks: Clocks,
  windows: Windows,
  solverIndex: (address: string) => number,
): Step | null {
  if (isValidDelivery(intent)) {
    const due = (intent.delivery?.solvedAt ?? 0) + fate.settleAfter
    return clocks.destination >= due ? { do: 'settle' } : null
  }
  const refundable = intent.fillDeadline + windows.grace
  if (clocks.source >= refundable) return refundFrom(refundable, fate, clocks.source)
  const solver = intent.solver === null ? -1 : solverIndex(intent.solver)
  if (intent.delivery !== null || solver < 0) return null
  return stepOfWinner(intent, fate, clocks.destination, solver)
}

function stepOfWinner(
  intent: ObservedIntent,
  fate: Fate,
  now: number,
  solver: number,
): Step | null {
  const isLate = now >= intent.fillDeadline
  switch (fate.kind) {
    case 'undelivered':
      return null
    case 'lateDelivery':
      return isLate ? { do: 'solve', solver, amountB: intent.amountB } : null
    case 'shortDelivery':
      return isLate ? null : { do: 'solve', solver, amountB: (intent.amountB * 9n) / 10n }
    default:
      // Nobody delivers for nothing once the deadline has gone by.
      return isLate ? null : { do: 'solve', solver, amountB: intent.amountB }
  }
}

function refundFrom(possible: number, fate: Fate, now: number): Step | null {
  return now >= possible + fate.refundAfter ? { do: 'refund' } : null
}

function withMargin(amount: bigint, bps: number): bigint {
  return amount + (amount * BigInt(bps) + 9_999n) / 10_000n
}
