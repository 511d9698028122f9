import { expect, test } from 'vitest'
import { LruMap } from '../../../services/process/lruMap.ts'

test('of too many entries, those set or asked for the longest ago go', () => {
  const map = new LruMap<string, number | undefined>(3)
  for (const [at, key] of ['a', 'b', 'c'].entries()) map.set(key, at)
  expect(map.get('a')).toBe(0)
  map.set('b', 9)
  map.set('d', 3)
  expect([...map]).toEqual([
    ['a', 0],
    ['b', 9],
    ['d', 3],
  ])
  expect(map.get('c')).toBeUndefined()
  expect(map.size).toBe(3)
  map.set('e', undefined)
  expect(map.get('e')).toBeUndefined()
  expect([map.has('e'), map.has('a')]).toEqual([true, false])
})

test('one of no entries keeps nothing', () => {
  expect(new LruMap<string, number>(0).set('a', 1).size).toBe(0)
})
