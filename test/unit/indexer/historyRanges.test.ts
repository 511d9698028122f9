import { expect, test } from 'vitest'
import { createRangePace } from '../../../services/chain/history/rangePace.ts'
import { quietBlocks } from '../../../services/indexer/history/probeQuietBlocks.ts'
import { formatFoldProgress } from '../../../services/indexer/tables/fillTables.ts'

test('ranges widen where little happens, up to the most that is allowed', () => {
  const pace = createRangePace({ first: 100, most: 50_000, target: 1_000 })
  for (let step = 0; step < 5; step++) pace.learn({ blocks: pace.width(), logs: 0 })
  expect(pace.width()).toBe(50_000)
})

test('ranges settle where an answer holds the target', () => {
  const pace = createRangePace({ first: 128, target: 1_000 })
  for (let step = 0; step < 5; step++) {
    pace.learn({ blocks: pace.width(), logs: pace.width() * 200 })
  }
  expect(pace.width()).toBe(5)
})

test('a refusal is remembered: as the width that was named, or as half', () => {
  const named = createRangePace({ first: 10_000 })
  named.narrow(10_000, 2_000)
  named.learn({ blocks: 2_000, logs: 0 })
  expect(named.width()).toBe(2_000)
  const unnamed = createRangePace({ first: 10_000 })
  unnamed.narrow(10_000, undefined)
  unnamed.learn({ blocks: 5_000, logs: 0 })
  expect(unnamed.width()).toBe(5_000)
})

test('quiet blocks are spread over the range, and never have logs', () => {
  const logs = [{ blockNumber: 110 }, { blockNumber: 111 }] as never
  const quiet = quietBlocks({ from: 100, to: 1_699, logs }, 16)
  expect(quiet.length).toBeGreaterThanOrEqual(15)
  expect(quiet.every((block) => block >= 100 && block <= 1_699)).toBe(true)
  expect(quiet).not.toContain(110)
  expect(new Set(quiet.map((block) => Math.floor((block - 100) / 100))).size).toBe(quiet.length)
  expect(quietBlocks({ from: 5, to: 5, logs: [] }, 16)).toEqual([5])
})

test('the progress line shows share, events, speed and time left', () => {
  const progress = {
    ...{ chain: 'base_mainnet', totalBlocks: 1_000, doneBlocks: 250 },
    ...{ events: 12_000, elapsedMs: 60_000 },
  }
  expect(formatFoldProgress(progress)).toBe(
    'base_mainnet ██████░░░░░░░░░░░░░░░░░░ 25 % of 1000 blocks, 12000 events (200/s), 3 min left',
  )
})
