/** A chain's latest block by most of its nodes, and when it appeared, in milliseconds by `performance.now()`. */
export type Tip = { number: bigint; since: number }

/** More blocks than nodes of one chain lag behind each other: a tip that far above the others was invented. */
const FAR_BLOCKS = 1_000n

/**
 * The tip after this block was seen. A block that appears while the solver runs is timed by the solver's clock, since the
 * chain's may be skewed. The block found at the start is timed by its timestamp, since the chain may have been silent for long.
 * Most nodes must agree on a tip, since one that invents blocks would hide a stall.
 *
 * @param now milliseconds: `monotonic` by `performance.now()`, `unix` by `Date.now()`
 */
export function noteTip(
  previous: Tip | null,
  { number, timestamp }: { number: bigint; timestamp: bigint },
  now: { monotonic: number; unix: number },
): Tip {
  const since = now.monotonic
  if (previous === null) {
    return { number, since: since - Math.max(0, now.unix - Number(timestamp) * 1_000) }
  }
  const isKnown = number <= previous.number && previous.number - number <= FAR_BLOCKS
  return isKnown ? previous : { number, since }
}
