import type { Outcome } from '../journal/intentJournal.ts'
import { pendingKinds } from './calculateReservedFunds.ts'
import { sameAddress } from './sameAddress.ts'
import type { SolverPhase } from './solverActionTypes.ts'
import type { IntentSnapshot, Snapshot } from './solverSnapshot.ts'

export function deriveSolverIntentPhase(intent: IntentSnapshot, snapshot: Snapshot): SolverPhase {
  const pending = pendingKinds(intent, snapshot)
  const isOurs = sameAddress(intent.solver, snapshot.solver)
  if (intent.phase === 'open') {
    if (pending.has('deposit')) return 'depositing'
    if (pending.has('bid')) return 'bidding'
    return isOurs ? 'leading' : 'outbid'
  }
  if (intent.phase !== 'deposited' || !isOurs) return 'over'
  if (intent.delivery) return 'settling'
  const time = snapshot.chains.get(intent.destChainId)?.time ?? 0
  return time < intent.fillDeadline || pending.has('deliver') ? 'delivering' : 'missed'
}

/** Our outcome of an intent; null while it may still change. */
export function deriveOutcome(
  intent: IntentSnapshot,
  { solver, chains }: Snapshot,
): Outcome | null {
  const isOurs = sameAddress(intent.solver, solver)
  const source = chains.get(intent.sourceChainId)
  if (intent.phase === 'open') {
    const closed = intent.endTime + 2 * (source?.pickupWindow ?? 0)
    if (!source || source.time < closed) return null
    // A best bidder that doesn't deposit forfeits its lock.
    return isOurs ? 'slashed' : 'lost'
  }
  if (!intent.isConfirmed) return null
  switch (intent.phase) {
    case 'deposited':
      return isOurs ? null : 'lost'
    case 'settled':
      return isOurs ? 'settled' : 'lost'
    case 'cancelled':
      return 'cancelled'
    case 'refunded':
      // The best bidder or winner forfeited its lock, unless it asked and nothing was revealed.
      return isOurs && !isExcused(intent) ? 'slashed' : 'lost'
  }
}

/** Seconds for which nodes surely keep logs. */
const LOGS_KEPT = 7 * 86_400

/**
 * Whether our best bid may have been replaced by a deposit in the second window, which forfeits the bond, and nodes can tell by
 * their logs. The intent's record shows only who deposited, who may have been the best bidder itself.
 */
export function mayBeReplaced(
  { fillDeadline, endTime, sourceChainId }: IntentSnapshot,
  myBid: bigint | null,
  { chains }: Snapshot,
): boolean {
  const source = chains.get(sourceChainId)
  if (source === undefined || myBid === null) return false
  if (source.time > endTime + LOGS_KEPT) return false
  return fillDeadline - source.executionWindow >= endTime + source.pickupWindow
}

function isExcused({ asked, revealed }: IntentSnapshot): boolean {
  return asked && !revealed
}
