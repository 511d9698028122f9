/** Seconds without a block that are normal on any chain. */
const LEAST_SECONDS = 300

/** Some chains produce a block only when there is a transaction, so the gaps between blocks vary widely. */
const MEDIAN_GAPS = 20

/**
 * Whether a chain has produced no block for so long that it may produce none before the deadline of a delivery that we bid
 * on now, which would cost the bond.
 *
 * @param silence seconds since its latest block
 * @param median seconds between its recent blocks, from `measureBlockTimes`
 */
export function hasChainStalled(silence: number, median: number): boolean {
  return silence > Math.max(LEAST_SECONDS, MEDIAN_GAPS * median)
}

/** A chain's latest block by most of its nodes, and when it was first seen, by `performance.now()`. */
export type Tip = { number: bigint; since: number }

/** More blocks than nodes of one chain lag behind each other: a tip that far above the others was invented. */
const FAR_BLOCKS = 1_000n

/**
 * The tip after this block was seen. Timed by our own clock, since the chain's may be skewed; agreed by most nodes, since
 * one that invents blocks would hide a stall.
 *
 * @param now milliseconds, by `performance.now()`
 */
export function noteTip(previous: Tip | null, number: bigint, now: number): Tip {
  const isKnown = previous !== null && number <= previous.number
  return isKnown && previous.number - number <= FAR_BLOCKS ? previous : { number, since: now }
}
