import { getAddress } from 'viem'
import { isRunning, loadActiveEntries, readStats } from './journal/intentJournal.ts'
import { calculateReservedFunds } from './plan/calculateReservedFunds.ts'
import { valuesOf } from './plan/roundBudget.ts'
import type { Snapshot } from './plan/solverSnapshot.ts'
import { type Policy, tokenKey } from './policy/policy.ts'
import type { SolverContext, SolverState } from './solverContext.ts'

/** Amounts are base units. */
export type SolverStatus = Awaited<ReturnType<typeof readSolverStatus>>

/** A solver's state after its latest round. */
export async function readSolverStatus(
  { account, chains, db, policy }: SolverContext,
  { snapshot, roundAt }: SolverState,
) {
  const [running, stats, active] = await Promise.all([
    isRunning(db, account.address),
    readStats(db, account.address),
    loadActiveEntries(db, account),
  ])
  return {
    running,
    solverAddress: getAddress(account.address),
    networks: Object.fromEntries(
      chains.map(({ name, chainId, bridge }) => {
        const blockNumber = snapshot?.chains.get(chainId)?.blockNumber ?? null
        const connected = blockNumber !== null
        return [name, { chainId, connected, blockNumber, bridgeAddress: getAddress(bridge) }]
      }),
    ),
    balances: snapshot ? balancesOf(snapshot, chains, policy()) : [],
    activeIntents: active.length,
    stats: {
      ...stats,
      exposure: snapshot ? exposureOf(snapshot, policy()) : 0n,
      lastRoundAt: roundAt,
    },
  }
}

function balancesOf(snapshot: Snapshot, chains: SolverContext['chains'], policy: Policy) {
  return chains.flatMap(({ name, chainId }) =>
    [...(snapshot.chains.get(chainId)?.balances ?? [])].map(([token, balance]) => ({
      chain: name,
      token: getAddress(token),
      symbol: policy.tokens.get(tokenKey(chainId, token))?.symbol ?? '',
      balance,
    })),
  )
}

/** The exposure, in millionths of value. */
function exposureOf(snapshot: Snapshot, policy: Policy): bigint {
  return snapshot.intents
    .flatMap((intent) => calculateReservedFunds(intent, snapshot) ?? [])
    .flatMap((reserved) => valuesOf(reserved, policy))
    .reduce((sum, { value }) => sum + value, 0n)
}
