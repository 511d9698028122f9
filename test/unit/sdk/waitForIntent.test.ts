import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { waitForIntent } from '../../../sdk/client/waitForIntent.ts'
import { backoff } from '../../../sdk/events/abortableSleep.ts'
import { serveSilently } from '../../rig/serveSilently.ts'

/** Attempts until it is given up. */
const ATTEMPTS = 7

const delays: number[] = []
let leaving = new AbortController()

// Nobody waits: how long it would have been is written down.
beforeEach(() => {
  const soon = setTimeout
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((done: () => void, delay = 0) => {
    delays.push(delay)
    if (delays.length === ATTEMPTS) leaving.abort(new Error('enough'))
    return soon(done, 0)
  }) as typeof setTimeout)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const NOWHERE = 'http://127.0.0.1:9'
const NO_STREAM = { isLive: () => false, watch: () => () => {} }

async function delaysOfOne(): Promise<number[]> {
  delays.length = 0
  leaving = new AbortController()
  const options = { pollMs: 1_000, signal: leaving.signal }
  const wait = waitForIntent({ baseUrl: NOWHERE, watch: NO_STREAM, chains: [] }, 1n, options)
  await expect(wait).rejects.toThrow('enough')
  return [...delays]
}

test('requests to an unreachable relayer back off, one at a time', async () => {
  const first = await delaysOfOne()
  for (const [at, base] of [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000].entries()) {
    expect(first[at]).toBeGreaterThanOrEqual(0.75 * base)
    expect(first[at]).toBeLessThanOrEqual(1.25 * base)
  }
  expect(first).toHaveLength(ATTEMPTS)
  expect(await delaysOfOne()).not.toEqual(first)
})

test('reports each failure that it goes on through', async () => {
  delays.length = 0
  leaving = new AbortController()
  const errors: Error[] = []
  const options = { signal: leaving.signal, onError: (error: Error) => void errors.push(error) }
  const wait = waitForIntent({ baseUrl: NOWHERE, watch: NO_STREAM, chains: [] }, 1n, options)
  await expect(wait).rejects.toThrow('enough')
  expect(errors).toHaveLength(ATTEMPTS)
  expect(errors[0]).toMatchObject({ code: 'TACHYON_API_UNREACHABLE' })
})

test('a relayer that reports changes without end isn’t asked, nor a node, without a pause', async () => {
  delays.length = 0
  // A clock that is set back doesn't lengthen the pauses.
  let clock = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => (clock -= 3_600_000))
  leaving = new AbortController()
  let report = () => {}
  const stream = {
    isLive: () => true,
    watch: (_: bigint, onChange: () => void) => {
      report = onChange
      return () => {}
    },
  }
  let attempts = 0
  const onError = () => {
    report()
    if (++attempts === 2 * ATTEMPTS) leaving.abort(new Error('without a pause'))
  }
  const options = { signal: leaving.signal, onError }
  const wait = waitForIntent({ baseUrl: NOWHERE, watch: stream, chains: [] }, 1n, options)
  await expect(wait).rejects.toThrow('enough')
  expect(Math.max(...delays)).toBeLessThanOrEqual(250)
})

test('an abort ends the request that is under way', async () => {
  const relayer = await serveSilently()
  const stopping = new AbortController()
  const context = { baseUrl: relayer.url, watch: NO_STREAM, chains: [] }
  const wait = waitForIntent(context, 1n, { signal: stopping.signal })
  await relayer.asked
  stopping.abort(new Error('enough'))
  await expect(wait).rejects.toThrow('enough')
  await relayer.left
})

test('a backoff grows to its maximum, give or take a quarter', () => {
  const of = (attempt: number) => Array.from({ length: 200 }, () => backoff(attempt, 100, 1_000))
  for (const [attempt, base] of [100, 200, 400, 800, 1_000, 1_000].entries()) {
    const waits = of(attempt)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0.75 * base)
    expect(Math.max(...waits)).toBeLessThanOrEqual(1.25 * base)
    expect(new Set(waits).size).toBeGreaterThan(1)
  }
})
