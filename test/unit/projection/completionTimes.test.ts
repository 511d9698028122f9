import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketOf, longestOf, withTime } from '../../../src/projection/completionTimes.ts'

test('a bucket holds its own longest time, the next one begins a second later', () => {
  const last = bucketOf(Number.MAX_SAFE_INTEGER)
  for (let bucket = 0; bucket <= last; bucket++) {
    expect(bucketOf(longestOf(bucket))).toBe(bucket)
    if (bucket < last) expect(bucketOf(longestOf(bucket) + 1)).toBe(bucket + 1)
  }
})

test('a time read from its bucket is never too short, and less than a sixteenth too long', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (seconds) => {
      const read = longestOf(bucketOf(seconds))
      expect(read).toBeGreaterThanOrEqual(seconds)
      expect(read - seconds).toBeLessThanOrEqual(seconds / 16)
    }),
  )
})

test('what no clock gives is counted at an end', () => {
  expect(withTime(withTime({}, -5), 2 ** 40)).toEqual({ 0: 1, [bucketOf(2 ** 31 - 1)]: 1 })
})
