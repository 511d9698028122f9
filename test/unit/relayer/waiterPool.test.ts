import { expect, test } from 'vitest'
import { createWaiterPool, type Wait } from '../../../api/rest/intents/waiterPool.ts'
import { currentReader, readingFor } from '../../../services/store/database/fairShares.ts'

const LIMITS = { atOnce: 3, perClient: 4, perIntent: 2 }

/** A room, and what ends each wait that was begun. */
function roomUnderTest() {
  const room = createWaiterPool<string>(LIMITS)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const wait = (name: string, more: Partial<Wait> = {}) => {
    const usual = { client: 'someone', intent: 'one', isKnown: false }
    return room.wait({ ...usual, name, ...more }, () => {
      begun.push(name)
      return new Promise((resolve) => ends.set(name, () => resolve(name)))
    })
  }
  return { wait, begun, end: (name: string) => ends.get(name)?.() }
}

const busy = { status: 503, code: 'SETTLEMENT_BUSY' }
const limited = { status: 429, code: 'RATE_LIMITED' }

test('callers of the same settlement wait together', async () => {
  const { wait, begun, end } = roomUnderTest()
  const both = [wait('a'), wait('a', { client: 'another' })]
  end('a')
  expect(await Promise.all(both)).toEqual(['a', 'a'])
  expect(begun).toEqual(['a'])
  const again = wait('a')
  end('a')
  expect(await again).toBe('a')
  expect(begun).toEqual(['a', 'a'])
})

test('an intent has so many claims, and always room for the delivery that is known', async () => {
  const { wait, end } = roomUnderTest()
  const claims = [wait('a'), wait('b')]
  await expect(wait('c', { client: 'another' })).rejects.toMatchObject(busy)
  const known = wait('d', { client: 'another', isKnown: true })
  await expect(wait('e', { intent: 'two', client: 'another' })).rejects.toMatchObject(busy)
  for (const name of ['a', 'b', 'd']) end(name)
  expect(await Promise.all([...claims, known])).toEqual(['a', 'b', 'd'])
  const free = wait('c')
  end('c')
  expect(await free).toBe('c')
})

test('a client has so many callers waiting, and its places back when they are answered', async () => {
  const { wait, end } = roomUnderTest()
  const callers = [1, 2, 3, 4].map(() => wait('a'))
  await expect(wait('a')).rejects.toMatchObject(limited)
  const other = wait('a', { client: 'another' })
  end('a')
  await Promise.all([...callers, other])
  const next = wait('a')
  end('a')
  expect(await next).toBe('a')
})

test('a joined wait doesn’t depend on the share of the client that began it', async () => {
  const { wait } = createWaiterPool<string | null>(LIMITS)
  const first = { client: 'someone', intent: 'one', name: 'a', isKnown: true }
  expect(await readingFor('someone', () => wait(first, async () => currentReader()))).toBeNull()
})
