import { expect, test, vi } from 'vitest'
import { batchPerEventLoopTurn } from '../../../api/graphql/subscriptions/batchPerEventLoopTurn.ts'
import { createSubscriptionLimiter } from '../../../api/graphql/subscriptions/subscriptionLimiter.ts'
import { createBoundedQueue } from '../../../api/http/limits/boundedQueue.ts'

function queueOf(capacity: number) {
  const onClose = vi.fn()
  const queue = createBoundedQueue<number>({
    capacity,
    overflow: () => new Error('too slow'),
    onClose,
  })
  return { ...queue, onClose }
}

async function read(values: AsyncIterable<number>): Promise<number[]> {
  const all = []
  for await (const value of values) all.push(value)
  return all
}

test('values come out in order, also to readers that were there first', async () => {
  const { push, values, end } = queueOf(10)
  const early = [values.next(), values.next()]
  for (const value of [1, 2, 3]) push(value)
  expect((await Promise.all(early)).map(({ value }) => value)).toEqual([1, 2])
  end()
  expect(await read(values)).toEqual([3])
})

test('what waits when it fails is still read, then the error', async () => {
  const { push, values, fail, onClose } = queueOf(10)
  push(1)
  fail(new Error('gone'))
  push(2)
  expect(await values.next()).toEqual({ value: 1, done: false })
  await expect(values.next()).rejects.toThrow('gone')
  expect(await values.next()).toEqual({ value: undefined, done: true })
  expect(onClose).toHaveBeenCalledTimes(1)
})

test('a reader that waits learns of the end and of the failure', async () => {
  const ended = queueOf(1)
  const end = ended.values.next()
  ended.end()
  expect((await end).done).toBe(true)
  const failed = queueOf(1)
  const failure = failed.values.next()
  failed.fail(new Error('gone'))
  await expect(failure).rejects.toThrow('gone')
})

test('one value too many drops the reader and everything that waited', async () => {
  const { push, values, onClose } = queueOf(2)
  for (const value of [1, 2]) push(value)
  expect(onClose).not.toHaveBeenCalled()
  for (const value of [3, 4]) {
    push(value)
    expect(onClose).toHaveBeenCalledTimes(1)
  }
  await expect(values.next()).rejects.toThrow('too slow')
  expect((await values.next()).done).toBe(true)
})

test('a queue over its weight drops the reader at the next value; what was read no longer counts', async () => {
  const onClose = vi.fn()
  const room = { most: 10, weigh: (value: number) => value }
  const overflow = () => new Error('too slow')
  const { push, values } = createBoundedQueue<number>({ capacity: 9, room, overflow, onClose })
  for (let round = 0; round < 3; round++) {
    for (const value of [4, 6]) push(value)
    for (const value of [4, 6]) expect(await values.next()).toEqual({ value, done: false })
  }
  for (const value of [4, 7]) push(value)
  expect(onClose).not.toHaveBeenCalled()
  push(1)
  expect(onClose).toHaveBeenCalledTimes(1)
  await expect(values.next()).rejects.toThrow('too slow')
})

test('a reader that leaves closes the queue once', async () => {
  const { push, values, onClose, end } = queueOf(2)
  push(1)
  await values.return?.()
  push(2)
  end()
  expect((await values.next()).done).toBe(true)
  expect(onClose).toHaveBeenCalledTimes(1)
})

test('batches are handled one at a time, in order, also after one that failed', async () => {
  const handled: number[][] = []
  const errors: unknown[] = []
  let done = () => {}
  const finished = new Promise<void>((resolve) => {
    done = resolve
  })
  const add = batchPerEventLoopTurn<number>(
    async (items) => {
      handled.push(items)
      if (items.includes(1)) add(3)
      if (items.includes(3)) done()
      if (items.includes(1)) throw new Error('bad batch')
    },
    (error) => errors.push(error),
  )
  add(1)
  add(2)
  await finished
  expect(handled).toEqual([[1, 2], [3]])
  expect(errors.map(String)).toEqual(['Error: bad batch'])
})

test('places are counted by client and in all, and given back once or lost to who holds fewer', () => {
  const counts = createSubscriptionLimiter({ perClient: 2, total: 3 })
  const { leave } = counts.take('a')
  const { signal } = counts.take('a')
  expect(() => counts.take('a')).toThrow(/at most 2/)
  counts.take('b')
  expect(() => counts.take('b')).toThrow(/the server has too many/)
  expect(signal.aborted).toBe(false)
  counts.take('c')
  expect(signal.aborted).toBe(true)
  expect(() => counts.take('d')).toThrow(/the server has too many/)
  leave()
  leave()
  expect(counts.size()).toBe(2)
  counts.take('d')
  expect(() => counts.take('e')).toThrow(/the server has too many/)
})
