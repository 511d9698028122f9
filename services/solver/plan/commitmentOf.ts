import { bondOf } from '../../../src/money/bondOf.ts'
import type { SeenIntent, Snapshot, UnderWay, UnderWayForIntent } from './snapshot.ts'

/** What an intent commits: funds that must stay in hand, and the exposure. */
export type Commitment = {
  intent: SeenIntent
  /** Stake in tokenA that must stay free, for a lock that is still to come. */
  stakeInHand: bigint
  /** tokenB on the destination chain that must stay in hand. */
  amountInHand: bigint
  /** tokenA that we lose if it fails from here. */
  lockAtStake: bigint
  /** tokenB that we lose, or haven't got back, if it fails from here. */
  amountAtStake: bigint
}

/**
 * What an intent commits now; null when it commits nothing. A pending bid or deposit counts as mined,
 * a pending delivery as not mined: each time the more careful assumption.
 */
export function commitmentOf(intent: SeenIntent, snapshot: Snapshot): Commitment | null {
  const pending = pendingOf(intent, snapshot.underWay)
  const isOurs = sameAddress(intent.solver, snapshot.solver)
  if (intent.phase === 'open') return commitmentOfOpen(intent, snapshot, isOurs, pending)
  if (intent.phase !== 'deposited' || !isOurs) return null
  const isDelivered = intent.delivery !== null
  const destination = snapshot.chains.get(intent.destChainId)
  const isMissed = !isDelivered && (destination?.time ?? 0) >= intent.fillDeadline
  return {
    intent,
    stakeInHand: 0n,
    amountInHand: isDelivered || isMissed ? 0n : intent.amountB,
    lockAtStake: bondOf(intent),
    amountAtStake: isMissed ? 0n : intent.amountB,
  }
}

function commitmentOfOpen(
  intent: SeenIntent,
  { chains }: Snapshot,
  isOurs: boolean,
  pending: readonly bigint[],
): Commitment | null {
  const source = chains.get(intent.sourceChainId)
  const isClosed = source !== undefined && source.time >= intent.endTime + 2 * source.pickupWindow
  const leading = isOurs && !isClosed ? [intent.amountB] : []
  const amountB = [...leading, ...pending].reduce(
    (most, amount) => (amount > most ? amount : most),
    0n,
  )
  if (amountB === 0n) return null
  const bond = bondOf(intent)
  return {
    intent,
    // The contract has locked it for the best bidder.
    stakeInHand: isOurs ? 0n : bond,
    amountInHand: amountB,
    lockAtStake: bond,
    amountAtStake: amountB,
  }
}

/** What the bids and deposits for an intent that are under way commit us to. */
function pendingOf(intent: SeenIntent, underWay: readonly UnderWay[]): bigint[] {
  return underWay.flatMap((transaction) => {
    if (transaction.kind !== 'bid' && transaction.kind !== 'deposit') return []
    return isAbout(transaction, intent) ? [transaction.amountB] : []
  })
}

/** Whether a transaction is about this intent. */
export function isAbout(
  transaction: UnderWay,
  intent: Pick<SeenIntent, 'sourceChainId' | 'intentId'>,
): transaction is UnderWayForIntent {
  return (
    'intentId' in transaction &&
    transaction.intentId === intent.intentId &&
    transaction.sourceChainId === intent.sourceChainId
  )
}

export function sameAddress(a: string | null, b: string): boolean {
  return a !== null && a.toLowerCase() === b.toLowerCase()
}
