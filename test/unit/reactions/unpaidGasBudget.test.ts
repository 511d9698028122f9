import { afterEach, expect, test, vi } from 'vitest'
import {
  createUnpaidGasBudget,
  gasOfSender,
} from '../../../services/relayer/reconciler/perform/unpaidGas.ts'

afterEach(() => vi.useRealTimers())

/** A call of a sender who used nothing before. */
const callOf = (gas: bigint, sender = '0x01', own = 0n) => ({ sender, own, gas })

test('calls at the same moment share what is left', async () => {
  let reads = 0
  const budget = createUnpaidGasBudget(async () => {
    reads += 1
    return 500n
  }, 1_000n)
  const answers = await Promise.all(Array.from({ length: 100 }, () => budget.take(callOf(100n))))
  expect(answers.filter((isTaken) => isTaken)).toHaveLength(5)
  expect(await budget.taken()).toBe(1_000n)
  expect(await budget.take(callOf(1n))).toBe(false)
  expect(reads).toBe(1)
})

test('a sum that can’t be read admits nothing, and is read again', async () => {
  let isDown = true
  const budget = createUnpaidGasBudget(async () => {
    if (isDown) throw new Error('down')
    return 0n
  }, 10n)
  await expect(budget.take(callOf(1n))).rejects.toThrow('down')
  isDown = false
  expect(await budget.take(callOf(1n))).toBe(true)
})

test('one sender gets its part of the day, and the others the rest', async () => {
  const limit = 60_000_000n
  const ofSender = gasOfSender(limit)
  const budget = createUnpaidGasBudget(async () => 0n, limit)
  const greedy = await Promise.all(
    Array.from({ length: 600 }, () => budget.take(callOf(120_000n, '0xa1'))),
  )
  expect(greedy.filter((isTaken) => isTaken)).toHaveLength(25)
  expect(await budget.taken()).toBe(ofSender)
  // A newcomer with several open intents, and one whose first call alone is beyond its part.
  expect(await budget.take(callOf(600_000n, '0xa2', 4n * 600_000n))).toBe(true)
  expect(await budget.isSpentFor(callOf(1n, '0xa3', ofSender))).toBe(true)
  expect(await budget.isSpentFor(callOf(1n, '0xa3', ofSender - 1n))).toBe(false)
  expect(await budget.take(callOf(10n * ofSender, '0xa4'))).toBe(true)
  expect(await budget.taken()).toBe(2n * ofSender + 600_000n)
})

test('what a sender’s fees paid for fits even when the day’s gas is spent, and no more', async () => {
  const limit = 60_000_000n
  const budget = createUnpaidGasBudget(async () => limit, limit)
  const all = await Promise.all(
    Array.from({ length: 10 }, () => budget.take(callOf(100_000n, '0xa1', -400_000n))),
  )
  expect(all.filter((isTaken) => isTaken)).toHaveLength(4)
  expect(await budget.taken()).toBe(limit)
  expect(await budget.isSpentFor(callOf(100_000n, '0xa2', -100_000n))).toBe(false)
  expect(await budget.isSpentFor(callOf(100_000n, '0xa2', -99_999n))).toBe(true)
})

test('a higher limit for all is one for each', () => {
  expect([0n, 60_000_000n, 100_000_000n].map(gasOfSender)).toEqual([
    3_000_000n,
    3_000_000n,
    5_000_000n,
  ])
})

test('a slow query is shared, and its sum is fresh from when it was read', async () => {
  vi.useFakeTimers()
  let reads = 0
  const read = () => {
    reads += 1
    return new Promise<bigint>((resolve) => setTimeout(() => resolve(0n), 20_000))
  }
  const budget = createUnpaidGasBudget(read, 1_000n)
  const first = budget.take(callOf(1n))
  await vi.advanceTimersByTimeAsync(10_000)
  const second = budget.take(callOf(1n))
  await vi.advanceTimersByTimeAsync(10_000)
  expect([await first, await second, await budget.taken()]).toEqual([true, true, 2n])
  await vi.advanceTimersByTimeAsync(4_000)
  expect([await budget.taken(), reads]).toEqual([2n, 1])
})

test('what a sender was admitted counts once, also after the sum is read again with it', async () => {
  vi.useFakeTimers()
  const limit = 60_000_000n
  const part = gasOfSender(limit)
  const budget = createUnpaidGasBudget(async () => 0n, limit)
  expect(await budget.take(callOf(part - 2n, '0xa1'))).toBe(true)
  await vi.advanceTimersByTimeAsync(6_000)
  expect(await budget.take(callOf(1n, '0xa1', part - 2n))).toBe(true)
})

test('while the sum can’t be read, the last one and what was admitted since stay', async () => {
  vi.useFakeTimers()
  let sum: bigint | null = 500n
  const read = async () => {
    if (sum === null) throw new Error('down')
    return sum
  }
  const budget = createUnpaidGasBudget(read, 1_000n)
  expect(await budget.take(callOf(300n))).toBe(true)
  sum = null
  await vi.advanceTimersByTimeAsync(6_000)
  expect([await budget.take(callOf(200n)), await budget.take(callOf(1n))]).toEqual([true, false])
  sum = 0n
  await vi.advanceTimersByTimeAsync(6_000)
  expect(await budget.take(callOf(1_000n))).toBe(true)
})
