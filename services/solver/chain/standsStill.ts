import type { SeenHead } from '../../chain/transactions/chainNodes.ts'

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

/**
 * Seconds since any node has had a new block. By our own clock, since the chain's may be behind or ahead of it.
 *
 * @param now milliseconds, by `performance.now()`
 */
export function findSilence(
  heads: ReadonlyMap<unknown, Pick<SeenHead, 'since'>>,
  now: number,
): number {
  const latest = Math.max(...[...heads.values()].map(({ since }) => since))
  return heads.size === 0 ? 0 : (now - latest) / 1_000
}
