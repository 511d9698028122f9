import { tokenKey } from '../policy/policy.ts'
import type { Action } from './action.ts'
import { isTokenUnderWay, type Snapshot } from './snapshot.ts'

/** Tokens that a bridge is about to take from us, in base units. */
export type Taking = { chainId: number; token: string; amount: bigint }

/** Approvals that the bridges lack for what they are about to take, and that aren't under way. */
export function approvalsFor(takings: readonly Taking[], snapshot: Snapshot): Action[] {
  const requested = new Map<string, Taking>()
  for (const { chainId, token, amount } of takings) {
    const key = tokenKey(chainId, token)
    requested.set(key, { chainId, token, amount: amount + (requested.get(key)?.amount ?? 0n) })
  }
  return [...requested.values()]
    .filter((taking) => snapshot.chains.has(taking.chainId) && !isAllowed(taking, snapshot))
    .filter(({ chainId, token }) => !isTokenUnderWay(snapshot, ['approve'], chainId, token))
    .map(({ chainId, token }) => ({ do: 'approve', chainId, token }))
}

/** Whether the bridge may take so much already. */
export function isAllowed({ chainId, token, amount }: Taking, { chains }: Snapshot): boolean {
  return (chains.get(chainId)?.allowances.get(token.toLowerCase()) ?? 0n) >= amount
}
