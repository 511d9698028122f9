import { expect, test } from 'vitest'
import { hasChainStalled, noteTip } from '../../../services/solver/chain/hasChainStalled.ts'

test.each([
  ['a block every 0.25 s', 0.25, 300],
  ['a block every 12 s', 12, 300],
  ['a block a minute, when there are transactions', 60, 1_200],
])('a chain with %s has stalled after a gap unlike its others', (_, average, longest) => {
  expect(hasChainStalled(longest, average)).toBe(false)
  expect(hasChainStalled(longest + 1, average)).toBe(true)
})

test('a stall counts from when the latest block was first seen, whichever node answers', () => {
  const first = noteTip(null, 5_000n, 1_000)
  const second = noteTip(first, 5_001n, 4_000)
  expect(second).toEqual({ number: 5_001n, since: 4_000 })
  expect(noteTip(second, 5_001n, 9_000)).toEqual(second)
  expect(noteTip(second, 4_990n, 9_000)).toEqual(second)
})

test('an invented block doesn’t make a chain look stalled forever', () => {
  const invented = noteTip(null, 9_000_000n, 1_000)
  expect(noteTip(invented, 5_000n, 9_000)).toEqual({ number: 5_000n, since: 9_000 })
})
