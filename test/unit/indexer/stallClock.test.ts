import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stallClock } from '../../../services/indexer/follow/watchPonder.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('an index that is a block behind hasn’t stalled when the machine’s clock is put forward', () => {
  const stall = stallClock()
  stall(100, 100)
  vi.advanceTimersByTime(2_000)
  vi.setSystemTime(Date.now() + 3_600_000)
  expect(stall(100, 101)).toBe(2_000)
})

test('a chain that had no block for two days doesn’t make its index look stalled when it resumes', () => {
  const stall = stallClock()
  for (let tick = 0; tick < 10; tick++) {
    stall(100, 100)
    vi.advanceTimersByTime(17_280_000)
  }
  expect(stall(100, 100)).toBe(0)
  vi.advanceTimersByTime(2_000)
  expect(stall(100, 101)).toBe(2_000)
})
