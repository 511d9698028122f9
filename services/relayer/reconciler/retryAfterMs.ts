const FIRST_MS = 1_000
const LONGEST_MS = 300_000

/** Pause before an attempt, in milliseconds: a second, doubled with each that failed, five minutes at most. */
export function retryAfterMs(failed: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failed, 20))
}
