/** A chain's indexed head. Time of an intent is the time of its chains, never the wall clock's. */
export type ChainClock = {
  /** Unix seconds of the head block. */
  timestamp: number
  blockNumber: number
}

/** Heads by chain id. A chain that isn't in it has no known time: nothing of it is late. */
export type Clocks = ReadonlyMap<number, ChainClock>

/** Time on a chain in unix seconds; before everything when the chain has no clock. */
export function readTime(chainId: number, clocks: Clocks): number {
  return clocks.get(chainId)?.timestamp ?? Number.NEGATIVE_INFINITY
}
