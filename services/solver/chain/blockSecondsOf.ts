import type { SolverChain } from './solverChain.ts'

/** How far back to look: one block is left to chance, many may include an old standstill. */
const SPANS = [1n, 4n, 16n]

/** The minimum, in seconds: timestamps show no less, and nobody answers faster. */
const LEAST = 1

/** Seconds between a chain's latest blocks; the quickest of several stretches, since blocks may fail to come. */
export async function blockSecondsOf(
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
  return Math.max(LEAST, Math.min(...gaps, Number.MAX_SAFE_INTEGER))
}
