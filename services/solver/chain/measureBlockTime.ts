import type { SolverChain } from './solverChain.ts'

/** Blocks to look back: a single gap is random, a long span may include a past outage. */
const SPANS = [1n, 4n, 16n]

/** Timestamps have no finer resolution. */
const MIN_SECONDS = 1

/** Seconds between a chain's latest blocks: the shortest average of several spans, since blocks may have been missed. */
export async function measureBlockTime(
  client: SolverChain['client'],
  head: { number: bigint; timestamp: bigint },
): Promise<number> {
  const spans = SPANS.filter((span) => span <= head.number)
  const earlier = await Promise.all(
    spans.map((span) => client.getBlock({ blockNumber: head.number - span })),
  )
  const gaps = earlier.map(
    ({ number, timestamp }) => Number(head.timestamp - timestamp) / Number(head.number - number),
  )
  return Math.max(MIN_SECONDS, Math.min(...gaps, Number.MAX_SAFE_INTEGER))
}
