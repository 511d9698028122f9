import type { ChainClock } from './chainClocks.ts'

/** How much of a chain's history counts when it is read as of an earlier time. */
type Cutoff = {
  /** The last block that counts; null when only time decides. */
  blockNumber: number | null
  /** Unix seconds: that block's time, or the last second that counts. It is the chain's clock at the cutoff. */
  timestamp: number
}

/** Cutoffs by chain id. Nothing of any other chain counts. */
export type Cutoffs = ReadonlyMap<number, Cutoff>

/** A requested block, with its time in unix seconds. */
export type NamedBlock = { chainId: number; blockNumber: number; timestamp: number }

/**
 * The cutoffs for some chains' blocks: each named chain counts up to its block, any other up to the time of the latest
 * named block, or to its own head if that is earlier.
 *
 * @param heads heads of all readable chains, by chain id
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

/** The chains' clocks at their cutoffs. An unknown block number is 0, since clocks are read by time. */
export function toClocks(cutoffs: Cutoffs): Map<number, ChainClock> {
  const clocks = [...cutoffs].map(([chainId, { blockNumber, timestamp }]) => {
    return [chainId, { timestamp, blockNumber: blockNumber ?? 0 }] as const
  })
  return new Map(clocks)
}
