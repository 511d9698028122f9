import type { ChainClock } from './chainClocks.ts'

/** How much of a chain's history counts when it is looked at as of an earlier time. */
type Cutoff = {
  /** The last block that counts; null when time alone says so. */
  blockNumber: number | null
  /** Unix seconds: that block's own time, or the last second that counts. The chain's clock, then. */
  timestamp: number
}

/** Cutoffs by chain id. Nothing of a chain that isn't in it counts. */
export type Cutoffs = ReadonlyMap<number, Cutoff>

/** A block that was asked for, with its time in unix seconds. */
export type NamedBlock = { chainId: number; blockNumber: number; timestamp: number }

/**
 * What counts as of some chains' blocks: each named chain up to its block, every other one up to the
 * time of the latest named block, or to its own head where that is earlier.
 *
 * @param heads heads of all chains that can be looked at, by chain id
 */
export function computeCutoffs(
  named: readonly NamedBlock[],
  heads: ReadonlyMap<number, { timestamp: number }>,
): Cutoffs {
  const latest = Math.max(...named.map(({ timestamp }) => timestamp))
  const cutoffs = new Map<number, Cutoff>()
  for (const [chainId, head] of heads) {
    cutoffs.set(chainId, { blockNumber: null, timestamp: Math.min(latest, head.timestamp) })
  }
  for (const { chainId, blockNumber, timestamp } of named) {
    cutoffs.set(chainId, { blockNumber, timestamp })
  }
  return cutoffs
}

/** Whether something that a chain logged counts. */
export function isWithin(
  point: { chainId: number; blockNumber: number; blockTimestamp: number },
  cutoffs: Cutoffs,
): boolean {
  const cutoff = cutoffs.get(point.chainId)
  if (!cutoff) return false
  if (cutoff.blockNumber !== null) return point.blockNumber <= cutoff.blockNumber
  return point.blockTimestamp <= cutoff.timestamp
}

/** The chains' clocks at their cutoffs. A block that isn't known counts as 0: clocks are read by time. */
export function toClocks(cutoffs: Cutoffs): Map<number, ChainClock> {
  const clocks = [...cutoffs].map(([chainId, { blockNumber, timestamp }]) => {
    return [chainId, { timestamp, blockNumber: blockNumber ?? 0 }] as const
  })
  return new Map(clocks)
}
