import { beforeEach, expect, test, vi } from 'vitest'
import { waitForIntent } from '../../../sdk/client/waitForIntent.ts'
import { backoff } from '../../../sdk/events/pause.ts'

const { delays, state } = vi.hoisted(() => ({
  delays: [] as number[],
  state: { leaving: new AbortController() },
}))

/** Attempts until it is given up. */
const ATTEMPTS = 7

// Nobody waits: how long it would have been is written down.
vi.mock('../../../sdk/events/pause.ts', async (original) => ({
  ...(await original<typeof import('../../../sdk/events/pause.ts')>()),
  pause: async (milliseconds: number) => {
    delays.push(milliseconds)
    if (delays.length === ATTEMPTS) state.leaving.abort(new Error('enough'))
  },
}))

beforeEach(() => {
  delays.length = 0
  state.leaving = new AbortController()
})

const NOWHERE = 'http://127.0.0.1:9'
const NO_STREAM = { isLive: () => false, watch: () => () => {} }

async function delaysOfOne(): Promise<number[]> {
  delays.length = 0
  state.leaving = new AbortController()
  const options = { pollMs: 1_000, signal: state.leaving.signal }
  const wait = waitForIntent({ baseUrl: NOWHERE, watch: NO_STREAM }, 1n, options)
  await expect(wait).rejects.toThrow('enough')
  return [...delays]
}

test('while the relayer is away it is asked ever more seldom, and never by two at the same time', async () => {
  const first = await delaysOfOne()
  for (const [at, base] of [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000].entries()) {
    expect(first[at]).toBeGreaterThanOrEqual(0.75 * base)
    expect(first[at]).toBeLessThanOrEqual(1.25 * base)
  }
  expect(first).toHaveLength(ATTEMPTS)
  expect(await delaysOfOne()).not.toEqual(first)
})

test('a wait grows to its longest, a quarter more or less', () => {
  const of = (attempt: number) => Array.from({ length: 200 }, () => backoff(attempt, 100, 1_000))
  for (const [attempt, base] of [100, 200, 400, 800, 1_000, 1_000].entries()) {
    const waits = of(attempt)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0.75 * base)
    expect(Math.max(...waits)).toBeLessThanOrEqual(1.25 * base)
    expect(new Set(waits).size).toBeGreaterThan(1)
  }
})
