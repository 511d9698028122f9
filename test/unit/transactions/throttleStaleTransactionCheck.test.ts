import { expect, test } from 'vitest'
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
