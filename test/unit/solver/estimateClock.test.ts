import { expect, test } from 'vitest'
import { estimateClock } from '../../../services/solver/chain/takeSnapshot.ts'

const at = { time: 1_000, blockSeconds: 2, pickupWindow: 60 }

test.each([
  ['a block that came late', { silence: 10 }, 1_000],
  ['no block for longer than any comes late', { silence: 11.9 }, 1_011],
  ['a missed slot of 12 s', { silence: 24, blockSeconds: 12 }, 1_000],
  ['two of them', { silence: 36, blockSeconds: 12 }, 1_036],
  ['sparse blocks, while a window passes', { silence: 31, blockSeconds: 45 }, 1_031],
])('after %s, the clock is where the next block’s will be', (_, silent, clock) => {
  expect(estimateClock({ ...at, ...silent })).toBe(clock)
})
