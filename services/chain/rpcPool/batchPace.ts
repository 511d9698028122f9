/** Milliseconds for which batches stay smaller: by then, the limit may have changed. */
const SMALLER_FOR_MS = 600_000

/**
 * The largest batch that a host at its rate limit should get. Some hosts count each request in a batch, and never accept a
 * large one, however long one waits.
 */
type BatchPace = {
  /** Requests in one batch, to be sent one batch after another; null while there is no limit. */
  size(): number | null
  /** @param sentAt by `performance.now`: what was sent before the latest limit says nothing new */
  recordLimited(count: number, sentAt: number): void
  recordPassed(count: number): void
}

/** Halves the size when a host refuses a batch again without having accepted one as large in between. */
export function createBatchPace(): BatchPace {
  let smaller: { size: number; until: number } | null = null
  let latest: { count: number; at: number } | null = null
  const size = () => (smaller !== null && performance.now() < smaller.until ? smaller.size : null)
  return {
    size,
    recordLimited(count, sentAt) {
      if (count < 2 || (latest !== null && sentAt < latest.at)) return
      const now = performance.now()
      if (latest !== null) {
        const refused = Math.min(size() ?? count, count)
        smaller = { size: Math.max(1, Math.floor(refused / 2)), until: now + SMALLER_FOR_MS }
      }
      latest = { count, at: now }
    },
    recordPassed(count) {
      if (latest !== null && count >= latest.count) latest = null
    },
  }
}
