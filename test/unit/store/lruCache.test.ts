import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLruCache } from '../../../services/store/cache/lruCache.ts'

/** Bytes that an entry takes beside what it holds. */
const ENTRY = 250

test('the cache keeps an entry until it is cleared', () => {
  const memory = createLruCache<string, number>(10_000)
  memory.set('a', 1, 10)
  memory.set('a', 2, 20)
  expect(memory.get('a')).toBe(2)
  memory.clear()
  expect(memory.get('a')).toBeUndefined()
  memory.set('a', 3, 0)
  expect(memory.get('a')).toBe(3)
})

test('an entry that is replaced takes no room', () => {
  const memory = createLruCache<string, number>(3 * ENTRY)
  memory.set('a', 0, 0)
  for (let value = 1; value <= 100; value++) memory.set('b', value, 0)
  expect(memory.get('a')).toBe(0)
})

test('the cache keeps nothing without room, and nothing larger than half of it', () => {
  const none = createLruCache<string, number>(0)
  none.set('a', 1, 0)
  expect(none.get('a')).toBeUndefined()
  const small = createLruCache<string, number>(2_000)
  small.set('a', 1, 1_001)
  expect(small.get('a')).toBeUndefined()
})

test('the cache keeps entries that are read and drops the others', () => {
  const memory = createLruCache<number, number>(20 * ENTRY)
  memory.set(0, 0, 0)
  for (let key = 1; key <= 100; key++) {
    memory.set(key, key, 0)
    expect(memory.get(0)).toBe(0)
  }
  expect(memory.get(1)).toBeUndefined()
  expect(memory.get(100)).toBe(100)
})

/** Values of any size below 900 bytes that a cache of 6,000 has room for. */
const ALWAYS_KEPT = 5

test('the cache never exceeds its room, keeps the values used last, and only ever returns the latest', () => {
  const step = fc.record({
    key: fc.nat(20),
    action: fc.constantFrom('set', 'set', 'set', 'get', 'get', 'clear'),
    bytes: fc.nat(900),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const room = 6_000
      const memory = createLruCache<number, number>(room)
      const latest = new Map<number, { at: number; bytes: number }>()
      /** Keys, the one used last first. */
      let used: number[] = []
      const use = (key: number) => {
        used = [key, ...used.filter((other) => other !== key)]
      }
      for (const [at, { key, action, bytes }] of steps.entries()) {
        if (action === 'set') {
          memory.set(key, at, bytes)
          latest.set(key, { at, bytes })
          use(key)
        } else if (action === 'clear') {
          memory.clear()
          latest.clear()
          used = []
        } else {
          const found = memory.get(key)
          const isKept = used.indexOf(key) >= 0 && used.indexOf(key) < ALWAYS_KEPT
          if (isKept || found !== undefined) expect(found).toBe(latest.get(key)?.at)
          if (found !== undefined) use(key)
        }
      }
      const kept = [...latest].filter(([key]) => memory.get(key) !== undefined)
      const held = kept.reduce((sum, [, { bytes }]) => sum + bytes + ENTRY, 0)
      expect(held).toBeLessThanOrEqual(room)
    }),
  )
})
