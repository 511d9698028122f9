import { expect, test } from 'vitest'
import { describeOrder } from '../../../services/orders/describeOrder.ts'
import type { ServedChain } from '../../../services/orders/ordersContext.ts'
import { ended, fired, funded, START, stateOf } from './orderCase.ts'

const chain = {
  name: 'base_sepolia',
  steps: new Map(),
  halted: new Set(),
} as unknown as ServedChain

/** An order of which nobody delivered the first tranches, as the API shows it. */
function afterFailures(count: number) {
  const tranches = Array.from({ length: count }, (_, n) => [
    fired(n, START + n * 60),
    ended('IntentRefunded', n, START + n * 60 + 50),
  ])
  const long = funded(START, { total: 50_000n, endTime: START + 100_000 })
  return describeOrder(chain, stateOf(long, ...tranches.flat()), START + count * 60)
}

test('an order of which nobody delivered three tranches in a row stays active, and says so', () => {
  expect(afterFailures(2)).toMatchObject({ status: 'active', lastError: null })
  expect(afterFailures(3)).toMatchObject({
    status: 'active',
    stopReason: null,
    lastError: 'TRANCHES_NOT_DELIVERED',
    tranchesFilled: 3,
    amountSpent: 0n,
    amountRefunded: 3_000n,
    nextTrancheAt: START + 120 + 120,
  })
})
