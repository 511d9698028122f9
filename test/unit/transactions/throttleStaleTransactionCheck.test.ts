import { afterEach, expect, test, vi } from 'vitest'
import { throttleStaleTransactionCheck } from '../../../services/chain/transactions/throttleStaleTransactionCheck.ts'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'

test('staleness is checked before each signature, and cached for what is signed', async () => {
  let [now, asked] = [1_000_000, 0]
  const isStale = throttleStaleTransactionCheck(
    async () => {
      asked += 1
      return false
    },
    () => now,
  )
  const row = { id: 1, state: 'chosen' } as Transaction
  await isStale(row)
  await isStale(row)
  expect(asked).toBe(2)
  const sent = { ...row, state: 'sent' } as Transaction
  await isStale(sent)
  expect(asked).toBe(2)
  now += 2_001
  await isStale(sent)
  expect(asked).toBe(3)
})

afterEach(() => void vi.useRealTimers())

test('the cached answer doesn’t last longer when the machine’s clock goes back', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  vi.advanceTimersByTime(1_000)
  let asked = 0
  const isStale = throttleStaleTransactionCheck(async () => ++asked > 1)
  const sent = { id: 1, state: 'sent' } as Transaction
  expect(await isStale(sent)).toBe(false)
  vi.advanceTimersByTime(2_001)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(await isStale(sent)).toBe(true)
})
