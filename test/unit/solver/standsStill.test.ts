import { expect, test } from 'vitest'
import { findSilence, standsStill } from '../../../services/solver/chain/standsStill.ts'

test.each([
  ['a block every 0.25 s', 0.25, 300],
  ['a block every 12 s', 12, 300],
  ['a block a minute, when there are transactions', 60, 1_200],
])('a chain with %s stands still after a pause unlike its others', (_, average, longest) => {
  expect(standsStill(longest, average)).toBe(false)
  expect(standsStill(longest + 1, average)).toBe(true)
})

test('a chain is as silent as the node that had a new block last', () => {
  const heads = new Map([
    ['a', { head: 5, since: 1_000 }],
    ['b', { head: 6, since: 4_000 }],
  ])
  expect(findSilence(heads, 10_000)).toBe(6)
  expect(findSilence(new Map(), 10_000)).toBe(0)
})
