import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { tryLockWhileAlive } from '../../../services/store/database/advisoryLocks.ts'
import { startHeartbeat } from '../../../services/store/database/startHeartbeat.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('beats again once the one before has ended, however it ends, and until it is stopped', async () => {
  let beats = 0
  const beat = async () => {
    beats += 1
    if (beats === 2) throw new Error('lost')
    if (beats === 3) await new Promise(() => {})
  }
  const stop = startHeartbeat(10, beat)
  await vi.advanceTimersByTimeAsync(100)
  expect(beats).toBe(3)
  stop()
  let more = 0
  const stopThis = startHeartbeat(10, async () => void more++)
  await vi.advanceTimersByTimeAsync(35)
  stopThis()
  await vi.advanceTimersByTimeAsync(100)
  expect(more).toBe(3)
})

test('a lock’s heartbeats don’t queue at a server that has fallen silent, and its connection ends', async () => {
  const destroy = vi.fn()
  let beats = 0
  const query = async (text: string) => {
    if (text === 'select 1') {
      beats += 1
      await new Promise(() => {})
    }
    return { rows: [{ taken: true }] }
  }
  const client = Object.assign(new EventEmitter(), { query, connection: { stream: { destroy } } })
  expect(await tryLockWhileAlive(client as never, 'solver', '0xa1', 1_000)).toBe(true)
  await vi.advanceTimersByTimeAsync(1_249)
  expect([beats, destroy.mock.calls.length]).toEqual([1, 0])
  await vi.advanceTimersByTimeAsync(1)
  expect(destroy).toHaveBeenCalledOnce()
  client.emit('end')
})
