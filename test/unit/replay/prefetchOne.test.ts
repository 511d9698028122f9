import { expect, test } from 'vitest'
import { prefetchOne } from '../../../services/chain/history/prefetchOne.ts'

async function* counting(asked: number[], failAt = Number.POSITIVE_INFINITY) {
  try {
    for (let at = 0; at < 4; at++) {
      asked.push(at)
      if (at === failAt) throw new Error('the node is gone')
      yield at
    }
  } finally {
    asked.push(-1)
  }
}

test('items come in order, each requested before the previous one is processed', async () => {
  const asked: number[] = []
  const seen: [number, number | undefined][] = []
  for await (const item of prefetchOne(counting(asked))) {
    await Promise.resolve()
    seen.push([item, asked.at(-1)])
  }
  expect(seen).toEqual([
    [0, 1],
    [1, 2],
    [2, 3],
    [3, -1],
  ])
})

test('a failure is thrown in its turn', async () => {
  const seen: number[] = []
  const read = async () => {
    for await (const item of prefetchOne(counting([], 2))) seen.push(item)
  }
  await expect(read()).rejects.toThrow('the node is gone')
  expect(seen).toEqual([0, 1])
})

test('stopping early ends the source', async () => {
  const asked: number[] = []
  for await (const item of prefetchOne(counting(asked))) if (item === 1) break
  await new Promise(setImmediate)
  expect(asked).toEqual([0, 1, 2, -1])
})
