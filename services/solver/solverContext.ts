import type { RelayerClient } from '../../sdk/relayer/relayerClient.ts'
import type { Db } from '../store/database/openDatabase.ts'
import type { SolverAccount } from './account/solverAccount.ts'
import type { Backoff } from './act/backoff.ts'
import type { SolverChain } from './chain/solverChain.ts'
import type { Market } from './market/pollRelayerAuctions.ts'
import type { Snapshot } from './plan/solverSnapshot.ts'
import type { Policy } from './policy/policy.ts'
import type { SolverLog } from './solverLog.ts'

/** A running solver's shared context. */
export type SolverContext = {
  account: SolverAccount
  chains: readonly SolverChain[]
  db: Db
  relayer: RelayerClient
  market: Market
  /** The current policy, reloaded when its file changes. */
  policy: () => Policy
  events: SolverLog
  backoff: Backoff
}

export type SolverState = {
  snapshot: Snapshot | null
  /** When the latest round succeeded. */
  roundAt: Date | null
  /** The same, by `performance.now()`. */
  aliveAt: number | null
}

export function chainOf({ chains }: Pick<SolverContext, 'chains'>, chainId: number): SolverChain {
  const chain = chains.find((known) => known.chainId === chainId)
  if (!chain) throw new Error(`chain ${chainId} is not configured`)
  return chain
}
