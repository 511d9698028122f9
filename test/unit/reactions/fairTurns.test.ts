import { expect, test } from 'vitest'
import { createFairTurns } from '../../../services/relayer/reconciler/fairTurns.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('payers take turns, so that one who comes last waits for nobody’s hundred', async () => {
  const turns = createFairTurns(4)
  const order: string[] = []
  const work = (name: string) => async () => {
    order.push(name)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const many = Array.from({ length: 100 }, (_, at) => turns('many', work(`many ${at}`)))
  await Promise.all([...many, turns('stranger', work('stranger'))])
  expect(order).toHaveLength(101)
  expect(order.indexOf('stranger')).toBeLessThan(10)
  expect(order.filter((name) => name !== 'stranger')).toEqual(
    Array.from({ length: 100 }, (_, at) => `many ${at}`),
  )
})

test('heavy tasks of several payers don’t delay a light one', async () => {
  const turns = createFairTurns(48)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  const all: Promise<void>[] = []
  for (let at = 0; at < 20; at++)
    for (const payer of ['a', 'b', 'c']) all.push(turns(payer, work(payer), 13))
  await settled()
  expect(begun).toEqual(['a', 'b', 'c'])
  // A light one fits beside them, and overtakes those that wait.
  all.push(turns('light', work('light')))
  await settled()
  expect(begun.slice(3)).toEqual(['light'])
  // Once there is no room, it is the next all the same.
  for (let at = 0; at < 8; at++) all.push(turns('some', work('some')))
  await settled()
  all.push(turns('late', work('late')))
  ends[0]?.()
  await settled()
  expect(begun.at(-1)).toBe('late')
  while (begun.length > 0 && ends.length > 0) {
    for (const end of ends.splice(0)) end()
    await settled()
  }
  await Promise.all(all)
  expect(begun).toHaveLength(70)
  // One that is heavier than the limit runs too, alone.
  await turns('a', async () => {}, 1_000)
})

test('a turn that fails passes the next one on', async () => {
  const turns = createFairTurns(1)
  const failing = turns('a', () => Promise.reject(new Error('no')))
  const other = turns('b', async () => 'done')
  await expect(failing).rejects.toThrow('no')
  expect(await other).toBe('done')
  expect(await turns('a', async () => 'again')).toBe('again')
})
