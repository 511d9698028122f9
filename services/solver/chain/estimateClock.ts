/** Seconds without a block that are normal where blocks come by themselves. */
const LEAST_SECONDS = 10

type SilentChain = {
  /** Timestamp of the latest block, in unix seconds. */
  time: number
  /** Seconds since that block appeared, as far as the solver knows. */
  silence: number
  blockSeconds: number
  pickupWindow: number
}

/**
 * What a chain's next block would show, in unix seconds: later than its latest block if that came a while ago. Some chains
 * produce a block only when there is a transaction, so their windows open and close without a block that shows it.
 */
export function estimateClock({ time, silence, blockSeconds, pickupWindow }: SilentChain): number {
  // Early enough to deposit within a window.
  const normal = Math.min(Math.max(LEAST_SECONDS, 2 * blockSeconds), pickupWindow / 2)
  return silence > normal ? time + Math.floor(silence) : time
}
