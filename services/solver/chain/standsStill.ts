/** Seconds that every chain may pause: many intents are won in a time in which most outages end. */
const LEAST_SECONDS = 300

/** Some chains make a block only when there is a transaction, so their pauses differ by much. */
const AVERAGE_PAUSES = 20

/**
 * Whether a chain has had no block for so long that it may have none before the deadline of a delivery that we would promise
 * now: then we would lose the bond.
 *
 * @param silence seconds since its latest block
 * @param average seconds between its blocks before
 */
export function standsStill(silence: number, average: number): boolean {
  return silence > Math.max(LEAST_SECONDS, AVERAGE_PAUSES * average)
}

/** A chain's latest block by most of its nodes, and when it was first seen, by `performance.now()`. */
export type Tip = { number: bigint; since: number }

/** Blocks by which nodes that answer in turns don't differ: further below, the earlier tip was none of the chain's. */
const FAR_BLOCKS = 1_000n

/**
 * The tip after this block was seen. By our own clock, since the chain's may be behind or ahead of it; by most nodes, since
 * one that invents blocks would have a chain that stands still seem to run.
 *
 * @param now milliseconds, by `performance.now()`
 */
export function noteTip(previous: Tip | null, number: bigint, now: number): Tip {
  const isKnown = previous !== null && number <= previous.number
  return isKnown && previous.number - number <= FAR_BLOCKS ? previous : { number, since: now }
}
