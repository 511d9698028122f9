import type { Fraction } from './fraction.ts'

/** A token that the solver trades, on one chain. */
export type PricedToken = {
  chainId: number
  address: `0x${string}`
  symbol: string
  decimals: number
  /** Value of one base unit. */
  price: Fraction
  /** Maximum exposure in this symbol, in millionths of value, over all chains; null: no limit. */
  maxExposure: bigint | null
  /** Base units to stake on its chain; null: leave its stake alone. */
  stake: bigint | null
}

/** What one pair is worth to us. */
export type PairTerms = {
  /** Base units of tokenB for each base unit of tokenA that is worth the same. */
  rate: Fraction
  marginBps: number
}

/**
 * What a solver may do, with the names of its file resolved against the configured chains. Value is
 * counted in millionths of the unit of the file's prices.
 */
export type Policy = {
  chains: ReadonlySet<number>
  /** By `tokenKey`. */
  tokens: ReadonlyMap<string, PricedToken>
  /** Terms for a pair, or null when it isn't served. */
  termsFor(pair: Pair): PairTerms | null
  /** Millionths; null: no limit. */
  intentLimit: bigint | null
  overallLimit: bigint | null
  gasAllowance: bigint
  /** On top of the allowance, for each recipient that there may be. */
  gasPerRecipient: bigint
  /** Wei. */
  gasReserve: bigint
  /** Blocks that may still include our last bid. */
  finalBlocks: number
  rescue: boolean
  deliverySafetySeconds: number
}

export type Pair = {
  sourceChainId: number
  destChainId: number
  tokenA: string
  tokenB: string
}

/** Millionths of a value in one. */
export const VALUE_SCALE = 1_000_000n

/** Key of a token among those of all chains. */
export function tokenKey(chainId: number, address: string): string {
  return `${chainId}/${address.toLowerCase()}`
}
