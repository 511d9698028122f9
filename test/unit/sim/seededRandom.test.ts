import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom } from '../../rig/seededRandom.ts'

test('the same seed throws the same, another one another', () => {
  const throws = (seed: number) => {
    const random = seededRandom(seed)
    return Array.from({ length: 20 }, () => random.whole(0, 1_000_000))
  }
  expect(throws(7)).toEqual(throws(7))
  expect(throws(7)).not.toEqual(throws(8))
})

test('every throw is within its bounds, and every side comes up', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: -50, max: 50 }), (seed, from) => {
      const random = seededRandom(seed)
      const thrown = Array.from({ length: 400 }, () => random.whole(from, from + 5))
      expect(new Set(thrown)).toEqual(new Set([0, 1, 2, 3, 4, 5].map((side) => from + side)))
    }),
    { numRuns: 50 },
  )
})

test('what one part throws is no other part’s matter', () => {
  const [first, second] = [seededRandom(3), seededRandom(3)]
  const [mine, yours] = [first.split(), second.split()]
  mine.whole(1, 6)
  expect(first.whole(0, 1_000)).toBe(second.whole(0, 1_000))
  expect(yours.whole(1, 6)).toBe(seededRandom(3).split().whole(1, 6))
})
