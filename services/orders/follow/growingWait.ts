const DAY_MS = 86_400_000

/**
 * A wait between attempts that costs everybody, such as reading a chain's history again: it doubles while they don't help, up
 * to a day.
 *
 * @param leastMs the first wait, and the one after a day in which no attempt was needed
 * @param now milliseconds by a clock that nobody sets
 */
export function createGrowingWait(leastMs: number, now = () => performance.now()) {
  let waitMs = leastMs
  let endsAt = Number.NEGATIVE_INFINITY
  return {
    isOver: () => now() >= endsAt,
    start(): void {
      if (now() >= endsAt + DAY_MS) waitMs = leastMs
      endsAt = now() + waitMs
    },
    /** For the next start. */
    grow(): void {
      waitMs = Math.min(2 * waitMs, DAY_MS)
    },
    reset(): void {
      waitMs = leastMs
    },
  }
}

export type GrowingWait = ReturnType<typeof createGrowingWait>
