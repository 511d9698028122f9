import { tokenKey } from '../policy/policy.ts'
import type { Action } from './action.ts'
import type { Snapshot } from './snapshot.ts'
import type { Stake } from './stakeOf.ts'

/** Approvals that the bridges lack for what is bound, and that aren't under way. */
export function approvalsFor(stakes: readonly Stake[], snapshot: Snapshot): Action[] {
  const wanted = new Map<string, { chainId: number; token: string; amount: bigint }>()
  const want = (chainId: number, token: string, amount: bigint) => {
    const key = tokenKey(chainId, token)
    wanted.set(key, { chainId, token, amount: amount + (wanted.get(key)?.amount ?? 0n) })
  }
  for (const { intent, bondInHand, amountInHand } of stakes) {
    want(intent.sourceChainId, intent.tokenA, bondInHand)
    want(intent.destChainId, intent.tokenB, amountInHand)
  }
  return [...wanted.values()]
    .filter(({ chainId, token, amount }) => lacks(snapshot, chainId, token, amount))
    .map(({ chainId, token }) => ({ do: 'approve', chainId, token }))
}

function lacks(
  { chains, underWay }: Snapshot,
  chainId: number,
  token: string,
  amount: bigint,
): boolean {
  const allowed = chains.get(chainId)?.allowances.get(token.toLowerCase()) ?? 0n
  if (allowed >= amount) return false
  return !underWay.some(
    (transaction) =>
      transaction.kind === 'approve' &&
      tokenKey(transaction.chainId, transaction.token) === tokenKey(chainId, token),
  )
}
