import { findLowerMedian } from '../../chain/transactions/medianAndMajority.ts'
import type { SolverChain } from './solverChain.ts'

/** Seconds between blocks, over several recent stretches. */
export type BlockTimes = {
  /** In the fastest stretch: without missed blocks and outages. */
  shortest: number
  /** In the middle one: without an outage, on a chain whose gaps vary. */
  median: number
}

/** How many blocks below the latest one to look at: a single gap is random, and blocks may have been missed. */
const DEPTHS = [1n, 4n, 16n]

/** Timestamps have no finer resolution. */
const MIN_SECONDS = 1

/**
 * Measures several stretches of a chain's latest blocks. They don't overlap, so that an outage counts in one of them only:
 * otherwise we would take auctions for nearly over and not bid, or notice the next stall too late.
 */
export async function measureBlockTimes(
  { client }: Pick<SolverChain, 'client'>,
  head: { number: bigint; timestamp: bigint },
): Promise<BlockTimes> {
  const depths = DEPTHS.filter((depth) => depth <= head.number)
  const earlier = await Promise.all(
    depths.map((depth) => client.getBlock({ blockNumber: head.number - depth })),
  )
  const stretches = earlier.map(({ number, timestamp }, position) => {
    const end = earlier[position - 1] ?? head
    return Number(end.timestamp - timestamp) / Number(end.number - number)
  })
  return {
    shortest: Math.max(MIN_SECONDS, Math.min(...stretches)),
    median: findLowerMedian(stretches),
  }
}
