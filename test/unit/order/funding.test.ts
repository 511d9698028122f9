import { describe, expect, test } from 'vitest'
import type { Transaction } from '../../../services/chain/transactions/transaction.ts'
import { awaitOrder } from '../../../services/orders/act/awaitOrder.ts'
import { FUNDING_SECONDS, fundingDeadline } from '../../../services/orders/act/fundingDeadline.ts'
import { fundingPending } from '../../../services/orders/act/fundingProblem.ts'
import { createOrderBook } from '../../../services/orders/follow/orderBook.ts'
import type { OrdersContext, ServedChain } from '../../../services/orders/ordersContext.ts'
import { funded, ORDER } from './orderCase.ts'

const NOW = 1_800_000_000

/** A chain whose latest block is of this time; null: no node answers. */
function chainAt(timestamp: number | null, hasLooked = true, isFunded = false) {
  const book = createOrderBook()
  if (isFunded) book.take(funded())
  const followed = timestamp && { book, head: { number: 7, hash: '0x07' as const, timestamp } }
  let looks = 0
  const follower = {
    latest: () => (hasLooked && followed ? followed : null),
    async look() {
      looks += 1
      if (!followed) throw new Error('no node answers')
      return followed
    },
  }
  return { follower, looks: () => looks }
}

describe('until when an order may be funded', () => {
  test('by the chain’s time, which lags behind ours', async () => {
    const { follower } = chainAt(NOW - 100)
    expect(await fundingDeadline(follower, NOW)).toBe(NOW - 100 + FUNDING_SECONDS)
  })
  test('by ours, where the chain’s is ahead', async () => {
    expect(await fundingDeadline(chainAt(NOW + 9).follower, NOW)).toBe(NOW + FUNDING_SECONDS)
  })
  test('a service that has just begun looks first', async () => {
    const { follower, looks } = chainAt(NOW - 100, false)
    expect(await fundingDeadline(follower, NOW)).toBe(NOW - 100 + FUNDING_SECONDS)
    expect(looks()).toBe(1)
  })
  test.each([
    ['can’t be read', null],
    ['has stood still for ten minutes', NOW - FUNDING_SECONDS],
  ])('a chain that %s refuses no order for good', async (_, timestamp) => {
    const { follower } = chainAt(timestamp, false)
    await expect(fundingDeadline(follower, NOW)).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
  })
})

describe('a funding in a block', () => {
  const mined = { state: 'mined', succeeded: false, txHash: '0x0a' } as unknown as Transaction
  const wait = async (transaction: Transaction, isFunded: boolean) => {
    const { follower, looks } = chainAt(NOW, true, isFunded)
    const feed = { awaitTransaction: async () => transaction }
    const context = { feed, settings: { patienceMs: 0 } } as unknown as OrdersContext
    const chain = { follower } as unknown as ServedChain
    return { ...(await awaitOrder(context, chain, 1, ORDER, () => true)), looks: looks() }
  }

  test('that reverted is told at once, and not as final: a reorg may have it succeed', async () => {
    const { order, transaction, looks } = await wait(mined, false)
    expect([order, looks]).toEqual([null, 1])
    expect(fundingPending(ORDER, transaction)).toMatchObject({
      ...{ code: 'FUNDING_PENDING', details: { reason: 'reverted', txHash: '0x0a' } },
    })
  })
  test('that reverted since another had funded the order is answered with the order', async () => {
    expect((await wait(mined, true)).order?.facts.orderId).toBe(ORDER)
  })

  test('that a node goes on hiding has all read anew once, however often it is asked for', async () => {
    let doubts = 0
    const { follower } = chainAt(NOW)
    const doubted = { ...follower, doubt: () => (doubts += 1) }
    const transaction = { state: 'confirmed', succeeded: true, blockNumber: 1 }
    const feed = { awaitTransaction: async () => transaction }
    const settings = { patienceMs: 0, doubtEveryMs: 600_000 }
    const context = { feed, settings } as unknown as OrdersContext
    const chain = { follower: doubted, config: { confirmations: 2 } } as unknown as ServedChain
    const ask = () => awaitOrder(context, chain, 1, ORDER, () => true)
    await Promise.all([ask(), ask(), ask()])
    expect(doubts).toBe(1)
  })
})
