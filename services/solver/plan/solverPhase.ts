import type { Outcome } from '../journal/journal.ts'
import type { SolverPhase } from './action.ts'
import { isAbout, sameAddress } from './commitmentOf.ts'
import type { SeenIntent, Snapshot } from './snapshot.ts'

/** An intent's phase for us, according to the chains. */
export function phaseOf(intent: SeenIntent, snapshot: Snapshot): SolverPhase {
  const pending = new Set(
    snapshot.underWay.filter((transaction) => isAbout(transaction, intent)).map(({ kind }) => kind),
  )
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

/**
 * An intent's outcome for us, once deep enough not to change; null while it may still change.
 */
export function outcomeOf(intent: SeenIntent, { solver, chains }: Snapshot): Outcome | null {
  const isOurs = sameAddress(intent.solver, solver)
  const source = chains.get(intent.sourceChainId)
  if (intent.phase === 'open') {
    const closed = intent.endTime + 2 * (source?.pickupWindow ?? 0)
    if (!source || source.time < closed) return null
    // A best bidder that doesn't deposit forfeits what its bid had locked.
    return isOurs ? 'slashed' : 'lost'
  }
  if (!intent.isDeep) return null
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

function isExcused({ asked, revealed }: SeenIntent): boolean {
  return asked && !revealed
}
