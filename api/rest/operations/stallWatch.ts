import { hasChainStalled } from '../../../services/chain/hasChainStalled.ts'

/** A chain's head: its number, and its time in unix seconds. */
export type Head = { blockNumber: number; timestamp: number }

/** Blocks over which the usual gap is measured. */
const MEASURED_BLOCKS = 256

/**
 * Watches whether a chain's head stands still for far longer than usual. Timed by our own clock, since the chain's may be
 * skewed.
 *
 * @param readTime a block's time, in unix seconds; null if no node knows it
 * @param now milliseconds
 * @returns tells it of each poll's head
 */
export function createStallWatch(
  readTime: (block: number) => Promise<number | null>,
  now: () => number,
): (head: Head) => Promise<boolean> {
  let block: number | null = null
  let since = 0
  let usualGap: number | null = null
  return async (head) => {
    if (block !== head.blockNumber) {
      block = head.blockNumber
      since = now()
      usualGap = null
    }
    const silence = (now() - since) / 1_000
    // The usual gap costs a read: skip it while it can't matter.
    if (!hasChainStalled(silence, 0)) return false
    usualGap ??= await measureUsualGap(head, readTime)
    return hasChainStalled(silence, usualGap ?? 0)
  }
}

/** Seconds between recent blocks; null if no node knows. */
async function measureUsualGap(
  { blockNumber, timestamp }: Head,
  readTime: (block: number) => Promise<number | null>,
): Promise<number | null> {
  const blocks = Math.min(MEASURED_BLOCKS, blockNumber)
  if (blocks === 0) return null
  const began = await readTime(blockNumber - blocks)
  return began === null ? null : (timestamp - began) / blocks
}
