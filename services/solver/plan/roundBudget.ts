import { calculateTokenValue } from '../policy/calculateBidCeiling.ts'
import { type Policy, tokenKey } from '../policy/policy.ts'
import type { ReservedFunds } from './calculateReservedFunds.ts'
import type { SkipReason } from './solverActionTypes.ts'
import { isTokenPending, type Snapshot } from './solverSnapshot.ts'

/** What a round can still commit. */
export type Budget = {
  /** Reserves the funds of an intent and adds its exposure. */
  reserve(commitment: ReservedFunds): void
  /** Why another commitment doesn't fit; null when it does. */
  refusalOf(commitment: ReservedFunds): SkipReason | null
  /** Unreserved balance. */
  freeBalance(chainId: number, token: string): bigint
  /** Stake that is neither locked nor reserved. */
  freeStake(chainId: number, token: string): bigint
}

export function createBudget(snapshot: Snapshot, policy: Policy): Budget {
  const reservedBalance = new Map<string, bigint>()
  const reservedStake = new Map<string, bigint>()
  const exposure = new Map<string, bigint>()
  const reservedGas = new Map<number, bigint>()
  let overall = 0n

  const freeBalance = (chainId: number, token: string) => {
    // The balance may or may not include a pending stake.
    if (isTokenPending(snapshot, ['stake'], chainId, token)) return 0n
    const balance = snapshot.chains.get(chainId)?.balances.get(token.toLowerCase()) ?? 0n
    return balance - (reservedBalance.get(tokenKey(chainId, token)) ?? 0n)
  }
  const freeStake = (chainId: number, token: string) => {
    // The stake may or may not include a pending withdrawal.
    if (isTokenPending(snapshot, ['unstake'], chainId, token)) return 0n
    const stake = snapshot.chains.get(chainId)?.stakes.get(token.toLowerCase())
    const reserved = reservedStake.get(tokenKey(chainId, token)) ?? 0n
    return stake ? stake.total - stake.locked - reserved : 0n
  }

  return {
    freeBalance,
    freeStake,
    reserve: (commitment) => {
      const { intent, depositGas, deliveryGas } = commitment
      add(reservedGas, intent.sourceChainId, depositGas)
      add(reservedGas, intent.destChainId, deliveryGas)
      add(reservedStake, tokenKey(intent.sourceChainId, intent.tokenA), commitment.reservedStake)
      add(reservedBalance, tokenKey(intent.destChainId, intent.tokenB), commitment.reservedAmount)
      for (const { symbol, value } of valuesOf(commitment, policy)) {
        add(exposure, symbol, value)
        overall += value
      }
    },
    refusalOf: (commitment) => {
      const { intent } = commitment
      if (!hasGas(commitment, reservedGas, snapshot, policy)) return 'gas'
      const source = snapshot.chains.get(intent.sourceChainId)
      if (source?.sealingKey !== 'ours') return 'sealing_key'
      if (freeStake(intent.sourceChainId, intent.tokenA) < commitment.reservedStake) return 'stake'
      if (freeBalance(intent.destChainId, intent.tokenB) < commitment.reservedAmount)
        return 'inventory'
      return fitsLimits(commitment, policy, exposure, overall) ? null : 'exposure'
    },
  }
}

function fitsLimits(
  commitment: ReservedFunds,
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
 * The exposure by symbol, in millionths of value. Tokens without a price don't count: we never trade them.
 */
export function valuesOf({ intent, lockExposure, amountExposure }: ReservedFunds, policy: Policy) {
  const of = (chainId: number, token: string, amount: bigint) => {
    const known = policy.tokens.get(tokenKey(chainId, token))
    const value = calculateTokenValue(policy, chainId, token, amount)
    return known && value !== null
      ? [{ symbol: known.symbol, value, limit: known.maxExposure }]
      : []
  }
  return [
    ...of(intent.sourceChainId, intent.tokenA, lockExposure),
    ...of(intent.destChainId, intent.tokenB, amountExposure),
  ]
}

/**
 * Whether each chain's coins pay for everything that we would have to send there, at a price that we pay, and whether a block
 * has room for it.
 */
function hasGas(
  { intent, depositGas, deliveryGas }: ReservedFunds,
  reservedGas: ReadonlyMap<number, bigint>,
  { chains }: Snapshot,
  { gasReserve }: Policy,
): boolean {
  const needed = [
    [intent.sourceChainId, depositGas],
    [intent.destChainId, deliveryGas],
  ] as const
  return needed.every(([chainId, more]) => {
    const chain = chains.get(chainId)
    if (chain === undefined || chain.gasPrice > chain.gasPriceCap || more > chain.blockGas)
      return false
    const gas = (reservedGas.get(chainId) ?? 0n) + more
    return chain.native >= gasReserve && chain.native >= gas * chain.gasPrice
  })
}

function add<Key>(sums: Map<Key, bigint>, key: Key, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount)
}
