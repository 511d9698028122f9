import { tokenKey } from '../policy/policy.ts'
import type { Action } from './solverActionTypes.ts'
import { isTokenPending, type Snapshot } from './solverSnapshot.ts'

/** Tokens that a bridge is about to pull from us, in base units. */
export type Spend = { chainId: number; token: string; amount: bigint }

/** Missing approvals for planned spends, except pending ones, and those that a chain or token doesn't answer about. */
export function planApprovals(spends: readonly Spend[], snapshot: Snapshot): Action[] {
  const requested = new Map<string, Spend>()
  for (const { chainId, token, amount } of spends) {
    const key = tokenKey(chainId, token)
    requested.set(key, { chainId, token, amount: amount + (requested.get(key)?.amount ?? 0n) })
  }
  return [...requested.values()]
    .filter(({ chainId, token }) =>
      // An allowance that can't be read would look missing after each approval, too.
      snapshot.chains.get(chainId)?.allowances.has(token.toLowerCase()),
    )
    .filter((spend) => !isAllowed(spend, snapshot))
    .filter(({ chainId, token }) => !isTokenPending(snapshot, ['approve'], chainId, token))
    .map(({ chainId, token }) => ({ do: 'approve', chainId, token }))
}

export function isAllowed({ chainId, token, amount }: Spend, { chains }: Snapshot): boolean {
  return (chains.get(chainId)?.allowances.get(token.toLowerCase()) ?? 0n) >= amount
}
