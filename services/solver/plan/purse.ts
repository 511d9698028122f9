import { worthOf } from '../policy/ceilingOf.ts'
import { type Policy, tokenKey } from '../policy/policy.ts'
import type { PassReason } from './action.ts'
import type { SeenIntent, Snapshot } from './snapshot.ts'
import type { Stake } from './stakeOf.ts'

/** What is left to commit in a round of decisions. */
export type Purse = {
  /** Binds what an intent needs. */
  bind(stake: Stake): void
  /** Why a new stake can't be taken on top of those bound already; null when it can. */
  refusalOf(stake: Stake): PassReason | null
}

/** The purse of a snapshot: balances on one hand, the policy's limits on the other. */
export function openPurse(snapshot: Snapshot, policy: Policy): Purse {
  const bound = new Map<string, bigint>()
  const exposure = new Map<string, bigint>()
  let overall = 0n

  const free = (chainId: number, token: string) => {
    const key = tokenKey(chainId, token)
    const balance = snapshot.chains.get(chainId)?.balances.get(token.toLowerCase()) ?? 0n
    return balance - (bound.get(key) ?? 0n)
  }

  return {
    bind: (stake) => {
      const { intent } = stake
      add(bound, tokenKey(intent.sourceChainId, intent.tokenA), stake.bondInHand)
      add(bound, tokenKey(intent.destChainId, intent.tokenB), stake.amountInHand)
      for (const { symbol, value } of valuesOf(stake, policy)) {
        add(exposure, symbol, value)
        overall += value
      }
    },
    refusalOf: (stake) => {
      const { intent } = stake
      if (!hasGas(intent, snapshot, policy)) return 'gas'
      const hasBond = free(intent.sourceChainId, intent.tokenA) >= stake.bondInHand
      const hasAmount = free(intent.destChainId, intent.tokenB) >= stake.amountInHand
      if (!hasBond || !hasAmount) return 'inventory'
      const amount = worthOf(policy, intent.destChainId, intent.tokenB, stake.amountAtStake)
      if (amount === null || (policy.intentLimit !== null && amount > policy.intentLimit))
        return 'exposure'
      return fitsLimits(stake, policy, exposure, overall) ? null : 'exposure'
    },
  }
}

function fitsLimits(
  stake: Stake,
  policy: Policy,
  exposure: ReadonlyMap<string, bigint>,
  overall: bigint,
): boolean {
  const after = new Map<string, bigint>()
  let total = overall
  for (const { symbol, value, limit } of valuesOf(stake, policy)) {
    add(after, symbol, value)
    total += value
    const token = (exposure.get(symbol) ?? 0n) + (after.get(symbol) ?? 0n)
    if (limit !== null && token > limit) return false
  }
  return policy.overallLimit === null || total <= policy.overallLimit
}

/** What is at stake, by symbol, in millionths of value. A token without a price counts for nothing: we never trade it. */
function valuesOf({ intent, bondAtStake, amountAtStake }: Stake, policy: Policy) {
  const of = (chainId: number, token: string, amount: bigint) => {
    const known = policy.tokens.get(tokenKey(chainId, token))
    const value = worthOf(policy, chainId, token, amount)
    return known && value !== null
      ? [{ symbol: known.symbol, value, limit: known.maxExposure }]
      : []
  }
  return [
    ...of(intent.sourceChainId, intent.tokenA, bondAtStake),
    ...of(intent.destChainId, intent.tokenB, amountAtStake),
  ]
}

function hasGas(intent: SeenIntent, { chains }: Snapshot, { gasReserve }: Policy): boolean {
  return [intent.sourceChainId, intent.destChainId].every(
    (chainId) => (chains.get(chainId)?.native ?? 0n) >= gasReserve,
  )
}

function add(sums: Map<string, bigint>, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount)
}
