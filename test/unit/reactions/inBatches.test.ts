import { expect, test } from 'vitest'
import { inBatches } from '../../../services/relayer/reconciler/inBatches.ts'

test('what is asked for at once is read in one, and what comes meanwhile in the next', async () => {
  const batches: { keys: readonly number[]; answer(): void }[] = []
  const read = inBatches<number, number>({ most: 3, atOnce: 1 }, async (keys) => {
    await new Promise<void>((answer) => batches.push({ keys, answer }))
    return keys.map((key) => key * 10)
  })
  const first = [read(1), read(2)]
  await new Promise(setImmediate)
  const later = [3, 4, 5, 6].map(read)
  await new Promise(setImmediate)
  expect(batches.map(({ keys }) => keys)).toEqual([[1, 2]])
  batches[0]?.answer()
  expect(await Promise.all(first)).toEqual([10, 20])
  await new Promise(setImmediate)
  batches[1]?.answer()
  expect(await Promise.all(later.slice(0, 3))).toEqual([30, 40, 50])
  await new Promise(setImmediate)
  batches[2]?.answer()
  expect(await later[3]).toBe(60)
  expect(batches.map(({ keys }) => keys)).toEqual([[1, 2], [3, 4, 5], [6]])
})

test('one that can’t be read fails alone', async () => {
  const read = inBatches<number, number>({ most: 2, atOnce: 1 }, async (keys) => {
    if (keys.includes(1)) throw new Error('away')
    return keys
  })
  const asked = await Promise.allSettled([read(1), read(2), read(3)])
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(await read(4)).toBe(4)
})
