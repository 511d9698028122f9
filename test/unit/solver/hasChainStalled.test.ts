import { expect, test } from 'vitest'
import { hasChainStalled } from '../../../services/chain/hasChainStalled.ts'
import { noteTip, type Tip } from '../../../services/solver/chain/noteTip.ts'

test.each([
  ['a block every 0.25 s', 0.25, 300],
  ['a block every 12 s', 12, 300],
  ['a block a minute, when there are transactions', 60, 1_200],
])('a chain with %s has stalled after a gap unlike its others', (_, average, longest) => {
  expect(hasChainStalled(longest, average)).toBe(false)
  expect(hasChainStalled(longest + 1, average)).toBe(true)
})

/** Unix seconds of the first block. */
const TIME = 1_800_000_000

/** Notes a block that has its number of seconds as its timestamp, this many milliseconds after our start at `TIME`. */
const note = (previous: Tip | null, number: number, monotonic: number) =>
  noteTip(
    previous,
    { number: BigInt(number), timestamp: BigInt(TIME - 5_000 + number) },
    { monotonic, unix: TIME * 1_000 + monotonic },
  )

test('a stall counts from when the latest block appeared, whichever node answers', () => {
  const second = note(note(null, 5_000, 1_000), 5_001, 4_000)
  expect(second).toEqual({ number: 5_001n, since: 4_000 })
  expect(note(second, 5_001, 9_000)).toEqual(second)
  expect(note(second, 4_990, 9_000)).toEqual(second)
})

test('a stall before our start counts, and a chain whose clock is ahead of ours has none', () => {
  expect(note(null, 4_400, 1_000)).toEqual({ number: 4_400n, since: -600_000 })
  expect(note(null, 5_060, 1_000)).toEqual({ number: 5_060n, since: 1_000 })
})

test('an invented block doesn’t make a chain look stalled forever', () => {
  const invented = note(null, 9_000_000, 1_000)
  expect(note(invented, 5_000, 9_000)).toEqual({ number: 5_000n, since: 9_000 })
})
