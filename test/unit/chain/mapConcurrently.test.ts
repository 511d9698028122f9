import { expect, test } from 'vitest'
import { mapConcurrently } from '../../../services/chain/history/mapConcurrently.ts'

/** Work that ends when it is told to, whichever began first. */
function heldWork() {
  const begun: number[] = []
  const ends = new Map<number, { resolve(answer: string): void; reject(error: Error): void }>()
  const work = (item: number) => {
    begun.push(item)
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    ends.set(item, { resolve, reject })
    return promise
  }
  return { begun, ends, work }
}

test('answers keep the order of the items, whichever is ready first, and no more are begun at once', async () => {
  const { begun, ends, work } = heldWork()
  const answers = mapConcurrently([0, 1, 2, 3], 2, work)
  const first = answers.next()
  await expect.poll(() => begun).toEqual([0, 1])
  ends.get(1)!.resolve('one')
  ends.get(0)!.resolve('zero')
  expect(await first).toEqual({ value: 'zero', done: false })
  expect(begun).toEqual([0, 1, 2])
  expect(await answers.next()).toEqual({ value: 'one', done: false })
  expect(begun).toEqual([0, 1, 2, 3])
  const rest = [answers.next(), answers.next(), answers.next()]
  ends.get(3)!.resolve('three')
  ends.get(2)!.resolve('two')
  expect((await Promise.all(rest)).map(({ value }) => value)).toEqual(['two', 'three', undefined])
})

test('however long each takes, no more than so many are under way', async () => {
  let underWay = 0
  let most = 0
  const work = async (item: number) => {
    underWay += 1
    most = Math.max(most, underWay)
    for (let turns = (item * 7) % 5; turns >= 0; turns--) await Promise.resolve()
    underWay -= 1
    if (item === 8) throw new Error('eight')
    return item
  }
  const got: number[] = []
  const run = async () => {
    for await (const one of mapConcurrently([1, 2, 3, 4, 5, 6, 7, 8, 9], 3, work)) got.push(one)
  }
  await expect(run()).rejects.toThrow('eight')
  expect(got).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(most).toBe(3)
})

test('a failure is thrown in its turn, and what comes before it is not lost', async () => {
  const { begun, ends, work } = heldWork()
  const seen: string[] = []
  const read = (async () => {
    for await (const answer of mapConcurrently([0, 1], 2, work)) seen.push(answer)
  })()
  await expect.poll(() => begun).toEqual([0, 1])
  ends.get(1)!.reject(new Error('the thread is gone'))
  ends.get(0)!.resolve('zero')
  await expect(read).rejects.toThrow('the thread is gone')
  expect(seen).toEqual(['zero'])
})

test('what came before the source failed is not lost', async () => {
  async function* failing() {
    yield 0
    yield 1
    throw new Error('the node is gone')
  }
  const seen: number[] = []
  const read = async () => {
    for await (const answer of mapConcurrently(failing(), 3, async (item) => item))
      seen.push(answer)
  }
  await expect(read()).rejects.toThrow('the node is gone')
  expect(seen).toEqual([0, 1])
})

test('who stops early ends the source', async () => {
  let isEnded = false
  async function* counting() {
    try {
      for (let at = 0; ; at++) yield at
    } finally {
      isEnded = true
    }
  }
  for await (const answer of mapConcurrently(counting(), 3, async (item) => item))
    if (answer === 1) break
  expect(isEnded).toBe(true)
})
