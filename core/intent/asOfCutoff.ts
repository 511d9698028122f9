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
