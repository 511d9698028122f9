/** Seconds without a block that are normal on any chain. */
const LEAST_SECONDS = 300

/** Some chains make a block only when there is a transaction: so many usual gaps without one are normal. */
const USUAL_GAPS = 20

/**
 * Whether a chain has produced no block for so long that it may produce none soon.
 *
 * @param silence seconds since its latest block
 * @param usualGap seconds between its recent blocks
 */
export function hasChainStalled(silence: number, usualGap: number): boolean {
  return silence > Math.max(LEAST_SECONDS, USUAL_GAPS * usualGap)
}
