/** A chain's indexed head. An intent's time is its chains' time, never the wall clock's. */
export type ChainClock = {
  /** Unix seconds of the head block. */
  timestamp: number
  blockNumber: number
}

/** Heads by chain id. A missing chain has no known time, so nothing on it is late. */
export type Clocks = ReadonlyMap<number, ChainClock>

/** Time on a chain in unix seconds; minus infinity without a clock. */
export function readTime(chainId: number, clocks: Clocks): number {
  return clocks.get(chainId)?.timestamp ?? Number.NEGATIVE_INFINITY
}
