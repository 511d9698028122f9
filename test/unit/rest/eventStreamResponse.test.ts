import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createEventStreamResponse } from '../../../api/http/eventStreamResponse.ts'
import { withHeartbeats } from '../../../api/http/withHeartbeats.ts'

const never = new AbortController().signal

async function* texts(...all: string[]) {
  yield* all
}

test('an event stream sends each text once, in order, and ends', async () => {
  const response = await createEventStreamResponse(() => texts('a', 'b', 'c'), never)
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  expect(await response.text()).toBe('abc')
})

test('a failure before the first text fails the request', async () => {
  const failing = { next: () => Promise.reject(new Error('no database')) }
  const opened = createEventStreamResponse(() => failing as never, never)
  await expect(opened).rejects.toThrow('no database')
})

test('the source of an event stream learns that its reader left, however it left', async () => {
  const signals: AbortSignal[] = []
  const left = new AbortController()
  const open = () =>
    createEventStreamResponse((signal) => {
      signals.push(signal)
      return texts('a', 'b')
    }, left.signal)
  await (await open()).body?.cancel()
  await open()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
  left.abort()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('heartbeats fill a silence, and no value is lost or repeated', async () => {
  const waiting: ((result: IteratorResult<string>) => void)[] = []
  const values = {
    next: () => new Promise<IteratorResult<string>>((resolve) => waiting.push(resolve)),
  }
  const beats = withHeartbeats(values, 1_000)
  for (const _ of ['one', 'two']) {
    const beat = beats.next()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await beat).toEqual({ value: null, done: false })
  }
  expect(waiting).toHaveLength(1)
  const first = beats.next()
  waiting.shift()?.({ value: 'a', done: false })
  expect(await first).toEqual({ value: 'a', done: false })
  // The next one is awaited already.
  waiting.shift()?.({ value: 'b', done: false })
  expect(await beats.next()).toEqual({ value: 'b', done: false })
  waiting.shift()?.({ value: undefined, done: true })
  expect((await beats.next()).done).toBe(true)
})

test('a source that fails while its reader is busy fails the next read', async () => {
  const results = [Promise.resolve({ value: 'a' }), Promise.reject(new Error('gone'))]
  const beats = withHeartbeats({ next: () => results.shift() as never }, 1_000)
  expect(await beats.next()).toEqual({ value: 'a', done: false })
  await new Promise((resolve) => setImmediate(resolve))
  await expect(beats.next()).rejects.toThrow('gone')
})
