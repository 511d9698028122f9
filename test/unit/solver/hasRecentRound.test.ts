import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { hasRecentRound } from '../../../services/solver/startSolver.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('a solver is alive for half a minute after a round, wherever the machine’s clock is set to', () => {
  expect(hasRecentRound(null)).toBe(false)
  const aliveAt = performance.now()
  vi.setSystemTime(Date.now() + 3_600_000)
  expect(hasRecentRound(aliveAt)).toBe(true)
  vi.setSystemTime(Date.now() - 7_200_000)
  vi.advanceTimersByTime(30_000)
  expect(hasRecentRound(aliveAt)).toBe(false)
})
