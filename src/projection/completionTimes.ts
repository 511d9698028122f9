import type { CompletionTimes } from '../table/enumValues.ts'

export type { CompletionTimes }

export const NO_TIMES: CompletionTimes = {}

/** Buckets to a doubling. */
const STEPS = 16

/** Longest time that is distinguished: 2^31 - 1 seconds. */
const LONGEST = 2 ** 31 - 1

/** The bucket of a number of seconds. */
export function bucketOf(seconds: number): number {
  const whole = Math.min(Math.max(Math.floor(seconds), 0), LONGEST)
  if (whole < 2 * STEPS) return whole
  const shift = 27 - Math.clz32(whole)
  return STEPS * shift + (whole >>> shift)
}

/** The most seconds that a bucket stands for. */
export function longestOf(bucket: number): number {
  if (bucket < 2 * STEPS) return bucket
  const shift = Math.floor(bucket / STEPS) - 1
  return (bucket - STEPS * shift + 1) * 2 ** shift - 1
}

/** One more time. */
export function withTime(times: CompletionTimes, seconds: number): CompletionTimes {
  const bucket = bucketOf(seconds)
  return { ...times, [bucket]: (times[bucket] ?? 0) + 1 }
}
