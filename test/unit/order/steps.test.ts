import type { Hex } from 'viem'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isDue, takeOrderSteps } from '../../../services/orders/execution/takeOrderSteps.ts'
import { createFoldedOrders } from '../../../services/orders/follow/foldedOrders.ts'
import type { OrdersContext, ServedChain, Step } from '../../../services/orders/ordersContext.ts'
import { funded, START } from './orderCase.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('an order’s next step doesn’t wait for hours when the machine’s clock goes back', async () => {
  const book = createFoldedOrders()
  book.apply(funded())
  const [order] = [...book.all()]
  const steps = new Map<Hex, Step>()
  // The ledger halts its token, so the step is only noted.
  const chain = { steps, halted: new Set([order!.facts.tokenA]) } as never as ServedChain
  const settings = { now: () => START, unpaidGas: 0n, unpaidGasOfAll: 0n }
  const context = { account: `0x${'5e'.repeat(20)}`, settings } as never as OrdersContext
  const head = { number: 9, hash: '0x09', timestamp: START } as const
  await takeOrderSteps(context, chain, { book, head })
  expect(steps.size).toBe(1)
  expect(isDue(chain, order!, START)).toBe(false)
  vi.advanceTimersByTime(1_500)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(isDue(chain, order!, START)).toBe(true)
})
