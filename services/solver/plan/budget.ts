import { worthOf } from '../policy/bidCeiling.ts'
import { type Policy, tokenKey } from '../policy/policy.ts'
import type { PassReason } from './action.ts'
import type { Commitment } from './commitmentOf.ts'
import { isTokenUnderWay, type SeenIntent, type Snapshot } from './snapshot.ts'

/** What a round of decisions can still commit. */
export type Budget = {
  /** Commits what an intent needs. */
  bind(commitment: Commitment): void
  /** Why one more can't be taken on top of those committed already; null when it can. */
  refusalOf(commitment: Commitment): PassReason | null
  /** Tokens in hand that nothing needs. */
  freeBalance(chainId: number, token: string): bigint
  /** Stake that is neither locked nor needed for a lock to come. */
  freeStake(chainId: number, token: string): bigint
}

/** The budget of a snapshot: balances and stakes, within the policy's limits. */
export function openBudget(snapshot: Snapshot, policy: Policy): Budget {
  const boundBalance = new Map<string, bigint>()
  const boundStake = new Map<string, bigint>()
  const exposure = new Map<string, bigint>()
  let overall = 0n

  const freeBalance = (chainId: number, token: string) => {
    // The balance may or may not include a pending stake.
    if (isTokenUnderWay(snapshot, ['stake'], chainId, token)) return 0n
    const balance = snapshot.chains.get(chainId)?.balances.get(token.toLowerCase()) ?? 0n
    return balance - (boundBalance.get(tokenKey(chainId, token)) ?? 0n)
  }
  const freeStake = (chainId: number, token: string) => {
    // The stake may or may not include a pending withdrawal.
    if (isTokenUnderWay(snapshot, ['unstake'], chainId, token)) return 0n
    const stake = snapshot.chains.get(chainId)?.stakes.get(token.toLowerCase())
    const bound = boundStake.get(tokenKey(chainId, token)) ?? 0n
    return stake ? stake.total - stake.locked - bound : 0n
  }

  return {
    freeBalance,
    freeStake,
    bind: (commitment) => {
      const { intent } = commitment
      add(boundStake, tokenKey(intent.sourceChainId, intent.tokenA), commitment.stakeInHand)
      add(boundBalance, tokenKey(intent.destChainId, intent.tokenB), commitment.amountInHand)
      for (const { symbol, value } of valuesOf(commitment, policy)) {
        add(exposure, symbol, value)
        overall += value
      }
    },
    refusalOf: (commitment) => {
      const { intent } = commitment
      if (!hasGas(intent, snapshot, policy)) return 'gas'
      const source = snapshot.chains.get(intent.sourceChainId)
      if (source?.sealingKey !== 'ours') return 'sealing_key'
      if (freeStake(intent.sourceChainId, intent.tokenA) < commitment.stakeInHand) return 'stake'
      if (freeBalance(intent.destChainId, intent.tokenB) < commitment.amountInHand)
        return 'inventory'
      return fitsLimits(commitment, policy, exposure, overall) ? null : 'exposure'
    },
  }
}

function fitsLimits(
  commitment: Commitment,
  policy: Policy,
  exposure: ReadonlyMap<string, bigint>,
  overall: bigint,
): boolean {
  const after = new Map<string, bigint>()
  let total = overall
  for (const { symbol, value, limit } of valuesOf(commitment, policy)) {
    add(after, symbol, value)
    total += value
    const token = (exposure.get(symbol) ?? 0n) + (after.get(symbol) ?? 0n)
    if (limit !== null && token > limit) return false
  }
  return policy.overallLimit === null || total <= policy.overallLimit
}

/**
 * The exposure by symbol, in millionths of value. A token without a price doesn't count: we never trade it.
 */
function valuesOf({ intent, lockAtStake, amountAtStake }: Commitment, policy: Policy) {
  const of = (chainId: number, token: string, amount: bigint) => {
    const known = policy.tokens.get(tokenKey(chainId, token))
    const value = worthOf(policy, chainId, token, amount)
    return known && value !== null
      ? [{ symbol: known.symbol, value, limit: known.maxExposure }]
      : []
  }
  return [
    ...of(intent.sourceChainId, intent.tokenA, lockAtStake),
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
