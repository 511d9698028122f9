import { type CompletionTimes, longestOf } from '../../src/projection/completionTimes.ts'

/** The number of times in a histogram. */
export function countTimes(times: CompletionTimes): number {
  return Object.values(times).reduce((sum, count) => sum + count, 0)
}

/**
 * Seconds within which this share of the counted intents was completed, at most a sixteenth too high; null when none is
 * counted.
 *
 * @param share 0 to 1
 */
export function findPercentile(times: CompletionTimes, share: number): number | null {
  const rank = Math.max(1, Math.ceil(share * countTimes(times)))
  let counted = 0
  for (const bucket of Object.keys(times)
    .map(Number)
    .sort((a, b) => a - b)) {
    counted += times[bucket] ?? 0
    if (counted >= rank) return longestOf(bucket)
  }
  return null
}

/** The sum of histograms. */
export function addTimes(all: readonly CompletionTimes[]): CompletionTimes {
  const sum: Record<string, number> = {}
  for (const times of all)
    for (const [bucket, count] of Object.entries(times)) sum[bucket] = (sum[bucket] ?? 0) + count
  return sum
}
