import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../src/intent/intentFacts.ts'
import { calculateBond } from '../../src/money/calculateBond.ts'

/** A solver's locked stake for an intent, in base units of tokenA. */
type Lock = { solver: Hex; amount: bigint }

/** The lock that backs an intent now: the best bidder's, from the deposit on the winner's; null without one. */
export function findLockedStake(source: SourceFacts): Lock | null {
  const holder = findHolder(source)
  return holder && { solver: holder, amount: calculateBond(source) }
}

function findHolder({ phase, bestBidder, solver }: SourceFacts): Hex | null {
  if (phase === 'bidding') return bestBidder
  return phase === 'deposited' ? solver : null
}
