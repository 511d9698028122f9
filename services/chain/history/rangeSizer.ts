/** Chooses how many blocks the next `eth_getLogs` covers: many where logs are rare, few where they are dense. */
export type RangeSizer = {
  /** Blocks of the next range. */
  width(): number
  recordAnswer(answer: { blocks: number; logs: number }): void
  /**
   * Records that a range of `blocks` was refused. `suggested` is the width the provider named, if any. Without one, the
   * refusal may have been about a few full blocks, so wider ranges are tried again after many answers.
   */
  recordRefusal(blocks: number, suggested: number | undefined): void
  /** Records an answer that was too long to read: narrower for now, without a lasting limit. */
  recordOversized(blocks: number): void
  /** Lifts the limit after a single block turned out to be too full. */
  reset(): void
}

/** Consecutive answers after which the limit is doubled. */
const WIDEN_AFTER = 32

/**
 * @param target logs per answer: bounds memory and keeps answers below providers' limits
 */
export function createRangeSizer({
  first = 128,
  most = 100_000,
  target = 4_000,
}: {
  first?: number
  most?: number
  target?: number
} = {}): RangeSizer {
  let width = first
  let limit = most
  let suggestedLimit = most
  let answers = 0
  return {
    width: () => width,
    recordAnswer({ blocks, logs }) {
      answers += 1
      if (answers % WIDEN_AFTER === 0) limit = Math.min(limit * 2, suggestedLimit)
      // Follows the density of this answer, by a factor of eight at most so that bursts don't dominate.
      const desired = (blocks / Math.max(logs, 1)) * target
      width = Math.floor(Math.min(Math.max(desired, width / 8), width * 8, limit))
      width = Math.max(width, 1)
    },
    recordRefusal(blocks, suggested) {
      answers = 0
      limit = Math.max(1, Math.min(suggested ?? Math.floor(blocks / 2), blocks - 1))
      if (suggested !== undefined) suggestedLimit = limit
      width = Math.min(width, limit)
    },
    recordOversized(blocks) {
      width = Math.max(1, Math.floor(blocks / 2))
    },
    reset() {
      limit = suggestedLimit = most
      width = first
    },
  }
}
