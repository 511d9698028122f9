const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]

/** Milliseconds after the first attempt, the second, and so on: three days in all. */
const WAITS = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
]

/**
 * Milliseconds until the next attempt, varied by a tenth, so that a receiver that recovers doesn't get all at
 * once; null when there is none left.
 *
 * @param attempts that were made
 * @param chance 0 to 1
 */
export function retryAfter(attempts: number, chance = Math.random()): number | null {
  const wait = WAITS[attempts - 1]
  return wait === undefined ? null : Math.round(wait * (0.9 + chance / 5))
}
