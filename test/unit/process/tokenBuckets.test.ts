import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTokenBuckets } from '../../../services/process/tokenBuckets.ts'

function bucketsAt(perSecond: number, burst: number, capacity?: number) {
  const clock = { ms: 1_000 }
  const options = { perSecond, burst, now: () => clock.ms, ...(capacity && { capacity }) }
  return { clock, buckets: createTokenBuckets(options) }
}

test('a quiet client may make the whole burst, and not one more', () => {
  const { buckets } = bucketsAt(50, 100)
  const verdicts = Array.from({ length: 101 }, () => buckets.take('a'))
  expect(verdicts.map(({ allowed }) => allowed)).toEqual([...Array(100).fill(true), false])
  expect(verdicts[0]).toEqual({ allowed: true, remaining: 99, resetSeconds: 1, retrySeconds: 0 })
  expect(verdicts[100]).toEqual({ allowed: false, remaining: 0, resetSeconds: 2, retrySeconds: 1 })
  expect(buckets.take('b').allowed).toBe(true)
})

test('tokens come back one by one, refusals cost none', () => {
  const { clock, buckets } = bucketsAt(50, 2)
  for (const _ of [1, 2]) expect(buckets.take('a').allowed).toBe(true)
  for (const _ of [1, 2, 3]) expect(buckets.take('a').allowed).toBe(false)
  clock.ms += 20
  expect(buckets.take('a').allowed).toBe(true)
  expect(buckets.take('a').allowed).toBe(false)
  clock.ms += 19
  expect(buckets.take('a').allowed).toBe(false)
})

test('a take that must leave tokens behind waits until enough would be left', () => {
  const { clock, buckets } = bucketsAt(1, 10)
  buckets.take('a', 6)
  expect(buckets.take('a', 1, 3).allowed).toBe(true)
  // Three are left, and six are needed.
  expect(buckets.take('a', 1, 5)).toMatchObject({ allowed: false, remaining: 3, retrySeconds: 3 })
  clock.ms += 3_000
  expect(buckets.take('a', 1, 5)).toMatchObject({ allowed: true, remaining: 5 })
})

test('in any time span a client gets at most the burst and what flowed in', () => {
  const waits = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(waits, fc.integer({ min: 1, max: 40 }), (steps, burst) => {
      const { clock, buckets } = bucketsAt(10, burst)
      const allowedAt: number[] = []
      for (const step of steps) {
        clock.ms += step
        if (buckets.take('a').allowed) allowedAt.push(clock.ms)
      }
      for (let first = 0; first < allowedAt.length; first++) {
        for (let last = first; last < allowedAt.length; last++) {
          const span = allowedAt[last]! - allowedAt[first]!
          expect(last - first + 1).toBeLessThanOrEqual(burst + span / 100 + 1e-6)
        }
      }
    }),
    { seed: 4, numRuns: 60 },
  )
})

test('memory is bounded: the client that was quiet longest is forgotten', () => {
  const { buckets } = bucketsAt(1, 1, 2)
  for (const client of ['a', 'b', 'c']) expect(buckets.take(client).allowed).toBe(true)
  expect(buckets.take('c').allowed).toBe(false)
  expect(buckets.take('b').allowed).toBe(false)
  expect(buckets.take('a').allowed).toBe(true)
})

test('what reserves in turn goes at once up to the burst, then evenly', () => {
  let now = 0
  const limiter = createTokenBuckets({ perSecond: 10, burst: 10, now: () => now })
  const waits = Array.from({ length: 13 }, () => limiter.reserve('', 1))
  expect(waits).toEqual([...Array(10).fill(0), 100, 200, 300])
  now = 300
  expect(limiter.waitFor('', 1)).toBe(100)
  now = 60_000
  expect(Array.from({ length: 11 }, () => limiter.reserve('', 1)).at(-1)).toBe(100)
})

test('more than the burst goes when the bucket is full, and is paid for afterwards', () => {
  let now = 0
  const limiter = createTokenBuckets({ perSecond: 10, burst: 10, now: () => now })
  expect(limiter.reserve('', 30)).toBe(0)
  now = 1_000
  expect(limiter.reserve('', 1)).toBe(1_100)
})
