import type { Fraction } from './fraction.ts'

/** A token that the solver trades, on one chain. */
export type PricedToken = {
  chainId: number
  address: `0x${string}`
  symbol: string
  decimals: number
  /** Value of a base unit. */
  price: Fraction
  /** Maximum exposure in this symbol, in millionths of value, over all chains; null: no limit. */
  maxExposure: bigint | null
  /** Base units to stake on its chain; null: don't touch its stake. */
  stake: bigint | null
}

export type PairTerms = {
  /** Base units of tokenB worth one base unit of tokenA. */
  rate: Fraction
  marginBps: number
}

/** A solver's policy with all names resolved. Values are in millionths of the unit of the file's prices. */
export type Policy = {
  chains: ReadonlySet<number>
  /** By `tokenKey`. */
  tokens: ReadonlyMap<string, PricedToken>
  /** Null for a pair that isn't served. */
  termsFor(pair: Pair): PairTerms | null
  /** Millionths; null: no limit. */
  intentLimit: bigint | null
  overallLimit: bigint | null
  forfeitLimit: bigint | null
  gasAllowance: bigint
  /** In addition to the allowance, per possible recipient. */
  gasPerRecipient: bigint
  /** Value of a wei by chain id, in units rather than millionths. Gas on other chains counts by the allowance alone. */
  weiPrices: ReadonlyMap<number, Fraction>
  /** Wei. */
  gasReserve: bigint
  /** Number of blocks before the end of an auction that may include our final bid. */
  finalBlocks: number
  rescue: boolean
  stopLoss: boolean
  deliverySafetySeconds: number
  /** Maximum age of the file's content in milliseconds, after which it is stale; null: no limit. */
  maxAgeMs: number | null
  /** Whether the file is too old for its prices to count: then, no new bids. */
  isStale: boolean
  /** Whether the file can't be used since it last changed: these are the prices from before. */
  isFromBefore: boolean
}

export type Pair = {
  sourceChainId: number
  destChainId: number
  tokenA: string
  tokenB: string
}

/** Values are in millionths. */
export const VALUE_SCALE = 1_000_000n

export function tokenKey(chainId: number, address: string): string {
  return `${chainId}/${address.toLowerCase()}`
}
