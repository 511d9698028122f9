import type { Hex } from '../event/bridgeEvent.ts'
import type { ChainEvent } from '../event/chainEvent.ts'
import type { ForfeitReason } from '../table/enumValues.ts'
import type { SourceFacts } from './intentFacts.ts'

export type { ForfeitReason }

/** A lock that a solver lost on an intent. */
export type Forfeit = {
  solver: Hex
  /** Base units of tokenA. Nobody gets it. */
  amount: bigint
  reason: ForfeitReason
  txHash: Hex
  /** Unix seconds. */
  at: number
}

/**
 * What solvers lost on an intent, from its events: a best bidder that didn't deposit, a winner that didn't
 * deliver.
 */
export function forfeitsOf(source: SourceFacts, events: readonly ChainEvent[]): Forfeit[] {
  return events.flatMap((event) => {
    if (event.type !== 'BidForfeited') return []
    const { args, point } = event
    return {
      solver: args.solver,
      amount: args.amount,
      reason: forfeitReason(source, args.solver),
      txHash: point.transactionHash,
      at: point.blockTimestamp,
    }
  })
}

/** Why a solver lost its lock on an intent: its winner for not delivering, anyone else for not picking it up. */
export function forfeitReason({ solver: winner }: SourceFacts, solver: Hex): ForfeitReason {
  return solver === winner ? 'not_delivered' : 'no_deposit'
}
