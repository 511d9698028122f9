import { expect, test } from 'vitest'
import {
  createFairShares,
  readingFor,
  readingForAll,
  ShareExhaustedError,
} from '../../../services/store/database/fairShares.ts'

const TIMEOUT = { timeoutMs: 10_000 }

test('a client’s reads wait only for its own, in order', async () => {
  const shares = createFairShares({ atOnce: 2, ...TIMEOUT })
  const enter = (client: string) => readingFor(client, () => shares.enter())
  const first = await enter('a')
  await enter('a')
  const order: string[] = []
  const third = enter('a').then((leave) => {
    order.push('third')
    return leave
  })
  const fourth = enter('a').then(() => order.push('fourth'))
  await enter('b')
  expect(order).toEqual([])
  first()
  first() // Twice is once.
  const leaveThird = await third
  expect(order).toEqual(['third'])
  leaveThird()
  await fourth
  expect(order).toEqual(['third', 'fourth'])
})

test('a read that waits too long, or in a full queue, is refused and takes no slot', async () => {
  const shares = createFairShares({ atOnce: 1, waiting: 1, timeoutMs: 20 })
  const enter = () => readingFor('a', () => shares.enter())
  const leave = await enter()
  const waiting = enter()
  await expect(enter()).rejects.toThrow(ShareExhaustedError)
  await expect(waiting).rejects.toThrow(ShareExhaustedError)
  leave()
  const again = await enter()
  again()
})

test('shared reads are charged to no client', async () => {
  const shares = createFairShares({ atOnce: 1, ...TIMEOUT })
  await readingFor('a', () => shares.enter())
  await readingFor('a', () => readingForAll(() => shares.enter()))
  await shares.enter()
})

test('two clients together leave connections to a third', async () => {
  const shares = createFairShares({ atOnce: 5, total: 10, ...TIMEOUT })
  const enter = (client: string) => readingFor(client, () => shares.enter())
  const leaves = await Promise.all(Array.from({ length: 5 }, () => enter('a')))
  await Promise.all(Array.from({ length: 3 }, () => enter('b')))
  let fourth = false
  const waiting = enter('b').then(() => {
    fourth = true
  })
  await enter('c')
  await enter('d')
  expect(fourth).toBe(false)
  // Whoever waits is served as soon as there is room again, whosever it was.
  for (const leave of leaves) leave()
  await waiting
  expect(fourth).toBe(true)
})

test('a waiting client without slots gets one before a client that waits longer but has one', async () => {
  const shares = createFairShares({ atOnce: 5, total: 3, ...TIMEOUT })
  const enter = (client: string) => readingFor(client, () => shares.enter())
  const leaveA = await enter('a')
  const leaveB = await enter('b')
  const order: string[] = []
  const secondOfB = enter('b').then(() => order.push('b'))
  const secondOfA = enter('a').then((leave) => {
    order.push('a')
    return leave
  })
  leaveA()
  const leaveSecondOfA = await secondOfA
  expect(order).toEqual(['a'])
  leaveB()
  await secondOfB
  expect(order).toEqual(['a', 'b'])
  leaveSecondOfA()
})
