import { expect, test } from 'vitest'
import { batchReads } from '../../../services/store/database/batchReads.ts'

/** Reads that end when they are told to. */
function heldReads() {
  const begun: { keys: readonly number[]; end(): void; fail(error: Error): void }[] = []
  const readAll = (keys: readonly number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>()
    begun.push({ keys, end: () => resolve(keys.map((key) => `row ${key}`)), fail: reject })
    return promise
  }
  return { begun, readAll }
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

test('keys of one turn share a read; while the most reads run, further keys gather', async () => {
  const { begun, readAll } = heldReads()
  const read = batchReads({ atOnce: 2, largest: 3 }, readAll)
  const first = [read(1), read(2)]
  await turn()
  const second = read(3)
  await turn()
  const later = [4, 5, 6, 7].map(read)
  await turn()
  expect(begun.map(({ keys }) => keys)).toEqual([[1, 2], [3]])
  begun[0]!.end()
  expect(await Promise.all(first)).toEqual(['row 1', 'row 2'])
  await turn()
  expect(begun.map(({ keys }) => keys)).toEqual([[1, 2], [3], [4, 5, 6]])
  begun[1]!.end()
  await second
  await turn()
  expect(begun.at(-1)!.keys).toEqual([7])
  for (const { end } of begun) end()
  expect(await Promise.all(later)).toEqual(['row 4', 'row 5', 'row 6', 'row 7'])
})

test('a failed read fails its own keys only', async () => {
  const { begun, readAll } = heldReads()
  const read = batchReads({ atOnce: 1, largest: 64 }, readAll)
  const failing = [read(1), read(2)].map((one) => one.catch((error: Error) => error.message))
  await turn()
  const later = read(3)
  begun[0]!.fail(new Error('gone'))
  expect(await Promise.all(failing)).toEqual(['gone', 'gone'])
  await turn()
  begun[1]!.end()
  expect(await later).toBe('row 3')
})

test('with retries, only the key that can’t be read fails', async () => {
  const limits = { atOnce: 1, largest: 2, retriesAlone: true }
  const read = batchReads<number, number>(limits, async (keys) => {
    if (keys.includes(1)) throw new Error('away')
    return keys
  })
  const asked = await Promise.allSettled([read(1), read(2), read(3)])
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(await read(4)).toBe(4)
})
