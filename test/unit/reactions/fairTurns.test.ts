import { expect, test } from 'vitest'
import { createFairTurns } from '../../../services/relayer/reconciler/fairTurns.ts'

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

test('a turn that fails passes the next one on', async () => {
  const turns = createFairTurns(1)
  const failing = turns('a', () => Promise.reject(new Error('no')))
  const other = turns('b', async () => 'done')
  await expect(failing).rejects.toThrow('no')
  expect(await other).toBe('done')
  expect(await turns('a', async () => 'again')).toBe('again')
})
