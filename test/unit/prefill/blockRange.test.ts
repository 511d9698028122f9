import fc from 'fast-check'
import { expect, test } from 'vitest'
import { uncovered, union } from '../../../services/indexer/prefill/blockRange.ts'

const range = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 15 }))
  .map(([from, length]) => ({ from, to: from + length }))
const ranges = fc.array(range, { maxLength: 8 })

function blocksOf(list: readonly { from: number; to: number }[]): Set<number> {
  const blocks = new Set<number>()
  for (const { from, to } of list) for (let at = from; at <= to; at++) blocks.add(at)
  return blocks
}

test('what is uncovered and what is covered make up the whole, and share no block', () => {
  fc.assert(
    fc.property(range, ranges, (whole, covered) => {
      const gaps = uncovered(whole, covered)
      const taken = blocksOf(covered)
      const expected = new Set([...blocksOf([whole])].filter((block) => !taken.has(block)))
      expect(blocksOf(gaps)).toEqual(expected)
      expect(union(gaps), 'gaps are maximal and in order').toEqual(gaps)
    }),
    { seed: 3, numRuns: 500 },
  )
})

test('a union has the same blocks in ranges that neither overlap nor touch', () => {
  fc.assert(
    fc.property(ranges, (list) => {
      const merged = union(list)
      expect(blocksOf(merged)).toEqual(blocksOf(list))
      merged.forEach((one, at) => {
        const next = merged[at + 1]
        if (next) expect(next.from).toBeGreaterThan(one.to + 1)
      })
    }),
    { seed: 4, numRuns: 500 },
  )
})
