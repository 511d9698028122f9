import type { Hex } from 'viem'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { WakeSilentChain } from '../../../services/chain/transactions/silentChainWaker.ts'
import { isDue, takeOrderSteps } from '../../../services/orders/execution/takeOrderSteps.ts'
import { createFoldedOrders } from '../../../services/orders/follow/foldedOrders.ts'
import type { OrdersContext, ServedChain, Step } from '../../../services/orders/ordersContext.ts'
import { closed, funded, START } from './orderCase.ts'

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
  const account = `0x${'5e'.repeat(20)}`
  const context = { account, settings, wakeSilentChain: async () => {} } as never as OrdersContext
  const head = { number: 9, hash: '0x09', timestamp: START } as const
  await takeOrderSteps(context, chain, { book, head })
  expect(steps.size).toBe(1)
  expect(isDue(chain, order!, START)).toBe(false)
  vi.advanceTimersByTime(1_500)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(isDue(chain, order!, START)).toBe(true)
  // A closed order has no problem any more.
  book.apply(closed(3_500n, 2, START + 1))
  await takeOrderSteps(context, chain, { book, head })
  expect(steps.size).toBe(0)
})

test('a silent chain is asked for the block in which the next step comes due, and for no other', async () => {
  const book = createFoldedOrders()
  book.apply(funded())
  const dueBy: [number, boolean | Promise<boolean>][] = []
  const wakeSilentChain: WakeSilentChain = async (_, isDue) => {
    for (const clock of [START - 1, START]) dueBy.push([clock, isDue(clock)])
  }
  const settings = { now: () => START, unpaidGas: 0n, unpaidGasOfAll: 0n }
  const chain = { steps: new Map(), halted: new Set() } as never as ServedChain
  const account = `0x${'5e'.repeat(20)}`
  const context = { account, settings, wakeSilentChain } as never as OrdersContext
  const head = { number: 9, hash: '0x09', timestamp: START - 400 } as const
  await takeOrderSteps(context, chain, { book, head })
  expect(dueBy).toEqual([
    [START - 1, false],
    [START, true],
  ])
})
