import { expect, test } from 'vitest'
import { createUnpaidGasBudget } from '../../../services/relayer/reconciler/perform/unpaidGas.ts'

test('calls at the same moment share what is left, and gas that is covered needs none of it', async () => {
  let reads = 0
  const budget = createUnpaidGasBudget(async () => {
    reads += 1
    return 500n
  }, 1_000n)
  const answers = await Promise.all(Array.from({ length: 100 }, () => budget.take(100n)))
  expect(answers.filter((isTaken) => isTaken)).toHaveLength(5)
  expect(await budget.taken()).toBe(1_000n)
  expect([await budget.take(1n), await budget.take(0n)]).toEqual([false, true])
  expect(reads).toBe(1)
})

test('a sum that can’t be read admits nothing, and is read again', async () => {
  let isDown = true
  const budget = createUnpaidGasBudget(async () => {
    if (isDown) throw new Error('down')
    return 0n
  }, 10n)
  await expect(budget.take(1n)).rejects.toThrow('down')
  isDown = false
  expect(await budget.take(1n)).toBe(true)
})
