import type { Windows } from '../windows.ts'
import type { Fate } from './fate.ts'
import { isValidDelivery, type ObservedIntent } from './observedIntent.ts'

/** One thing to do about an intent: as its sender, or as the rogue solver. */
export type Step =
  | { do: 'store'; by: 'sender' }
  | { do: 'cancel' | 'refund'; by: 'sender' }
  | { do: 'bid' | 'deposit' | 'deliver'; by: 'rogue'; amountB: bigint }

/** Timestamps of the two chains' latest blocks, unix seconds. */
export type Clocks = { source: number; destination: number }

/** Seconds before the end of an auction at which the rogue outbids everybody: too late for an answer. */
const LAST_MOMENT = 3

/**
 * What is due for one of our senders' intents now, or null. It depends on nothing but the chains and
 * the fate, so a player that was stopped goes on where the chains stand.
 *
 * @param rogue the rogue solver's address
 */
export function nextStep(
  intent: ObservedIntent,
  fate: Fate,
  clocks: Clocks,
  windows: Windows,
  rogue: string,
): Step | null {
  return intent.phase === 'open'
    ? stepOfOpen(intent, fate, clocks.source, windows, rogue)
    : stepOfDeposited(intent, fate, clocks, windows, rogue)
}

function stepOfOpen(
  intent: ObservedIntent,
  fate: Fate,
  now: number,
  windows: Windows,
  rogue: string,
): Step | null {
  if (now >= intent.endTime) return stepAfterAuction(intent, fate, now, windows, rogue)
  if (fate.kind === 'cancelledAtOnce') return { do: 'cancel', by: 'sender' }
  if (fate.kind === 'unanchored') return null
  if (intent.feeBps === 0) return intent.blobAtCreation ? null : { do: 'store', by: 'sender' }
  // Half of the auction has gone by: time enough for readers to see it pending.
  if (fate.kind === 'cancelledLater')
    return now >= intent.endTime - fate.auctionSeconds / 2 && intent.solver === null
      ? { do: 'cancel', by: 'sender' }
      : null
  return rogueBid(intent, fate, now, rogue)
}

function rogueBid(intent: ObservedIntent, fate: Fate, now: number, rogue: string): Step | null {
  const { solver, amountB, expectedAmountB } = intent
  const bid = (amount: bigint): Step => ({ do: 'bid', by: 'rogue', amountB: amount })
  switch (fate.kind) {
    case 'abandoned':
    case 'undelivered':
    case 'lateDelivery':
    case 'shortDelivery':
      return solver === null ? bid(expectedAmountB) : null
    case 'rescued': {
      const isLastMoment = now >= intent.endTime - LAST_MOMENT
      if (!isLastMoment || isSame(solver, rogue)) return null
      // A twentieth more than anybody in their senses.
      return bid(((amountB > expectedAmountB ? amountB : expectedAmountB) * 21n) / 20n)
    }
    default:
      return null
  }
}

function stepAfterAuction(
  intent: ObservedIntent,
  fate: Fate,
  now: number,
  windows: Windows,
  rogue: string,
): Step | null {
  if (intent.solver === null) return refundFrom(intent.endTime, fate, now)
  const second = intent.endTime + windows.pickup
  const closed = second + windows.pickup
  if (now >= closed) return refundFrom(closed, fate, now)
  const comes = ['undelivered', 'lateDelivery', 'shortDelivery'].includes(fate.kind)
  if (!comes || !isSame(intent.solver, rogue)) return null
  return { do: 'deposit', by: 'rogue', amountB: intent.amountB }
}

function stepOfDeposited(
  intent: ObservedIntent,
  fate: Fate,
  clocks: Clocks,
  windows: Windows,
  rogue: string,
): Step | null {
  // Delivered as promised: to be settled, whatever the clock says.
  if (isValidDelivery(intent)) return null
  const refundable = intent.fillDeadline + windows.grace
  if (clocks.source >= refundable) return refundFrom(refundable, fate, clocks.source)
  if (intent.delivery !== null || !isSame(intent.solver, rogue)) return null
  return rogueDelivery(intent, fate, clocks.destination)
}

function rogueDelivery(intent: ObservedIntent, fate: Fate, now: number): Step | null {
  const isLate = now >= intent.fillDeadline
  const { amountB } = intent
  if (fate.kind === 'lateDelivery' && isLate) return { do: 'deliver', by: 'rogue', amountB }
  if (fate.kind === 'shortDelivery' && !isLate)
    return { do: 'deliver', by: 'rogue', amountB: (amountB * 9n) / 10n }
  return null
}

function refundFrom(possible: number, fate: Fate, now: number): Step | null {
  return now >= possible + fate.refundAfter ? { do: 'refund', by: 'sender' } : null
}

function isSame(one: string | null, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase()
}
