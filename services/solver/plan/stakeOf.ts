import { bondOf } from '../../../src/money/bondOf.ts'
import type { SeenIntent, Snapshot, UnderWay } from './snapshot.ts'

/** What an intent binds of us: what must stay in hand for it, and what is at stake in it. */
export type Stake = {
  intent: SeenIntent
  /** tokenA on the source chain that must stay in hand. */
  bondInHand: bigint
  /** tokenB on the destination chain that must stay in hand. */
  amountInHand: bigint
  /** tokenA that we lose, or haven't got back, if it goes wrong from here. */
  bondAtStake: bigint
  /** tokenB likewise. */
  amountAtStake: bigint
}

/**
 * What an intent binds of us now; null when it binds nothing. A bid or deposit that is still under way
 * counts as mined, a delivery that is under way as not mined: both ways the more careful one.
 */
export function stakeOf(intent: SeenIntent, snapshot: Snapshot): Stake | null {
  const pending = pendingOf(intent, snapshot.underWay)
  const isOurs = sameAddress(intent.solver, snapshot.solver)
  if (intent.phase === 'open') return stakeOfOpen(intent, snapshot, isOurs, pending)
  if (intent.phase !== 'deposited' || !isOurs) return null
  const bond = bondOf(intent.amountA)
  const isDelivered = intent.delivery !== null
  const destination = snapshot.chains.get(intent.destChainId)
  const isMissed = !isDelivered && (destination?.time ?? 0) >= intent.fillDeadline
  return {
    intent,
    bondInHand: 0n,
    amountInHand: isDelivered || isMissed ? 0n : intent.amountB,
    bondAtStake: bond,
    amountAtStake: isMissed ? 0n : intent.amountB,
  }
}

function stakeOfOpen(
  intent: SeenIntent,
  { chains }: Snapshot,
  isOurs: boolean,
  pending: readonly bigint[],
): Stake | null {
  const source = chains.get(intent.sourceChainId)
  const isClosed = source !== undefined && source.time >= intent.endTime + 2 * source.pickupWindow
  const leading = isOurs && !isClosed ? [intent.amountB] : []
  const amountB = [...leading, ...pending].reduce(
    (most, amount) => (amount > most ? amount : most),
    0n,
  )
  if (amountB === 0n) return null
  const bond = bondOf(intent.amountA)
  return {
    intent,
    bondInHand: bond,
    amountInHand: amountB,
    bondAtStake: bond,
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
export function isAbout(transaction: UnderWay, intent: SeenIntent): boolean {
  return (
    transaction.kind !== 'approve' &&
    transaction.intentId === intent.intentId &&
    transaction.sourceChainId === intent.sourceChainId
  )
}

export function sameAddress(a: string | null, b: string): boolean {
  return a !== null && a.toLowerCase() === b.toLowerCase()
}
