import { keccak256, toHex } from 'viem'
import { expect, test } from 'vitest'
import { createOrdersService } from '../../../services/orders/createOrdersService.ts'
import { createFoldedOrders } from '../../../services/orders/follow/foldedOrders.ts'
import type { OrdersContext } from '../../../services/orders/ordersContext.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { funded, OWNER, START } from './orderCase.ts'

/** A chain on which so many orders of the owner were funded, three a block, half of them in blocks that aren't final. */
function chainWith(chainId: number, count: number) {
  const base = createFoldedOrders()
  const book = createFoldedOrders(base)
  for (let n = 0; n < count; n++) {
    const orderId = keccak256(toHex(`${chainId} ${n}`))
    const event = funded(START + 2 * Math.floor(n / 3))
    const layer = 2 * n < count ? base : book
    layer.apply({ ...event, args: { ...event.args, orderId } } as never)
  }
  let finds = 0
  const find = (orderId: Hex) => {
    finds += 1
    return book.find(orderId)
  }
  const latest = () => ({ book: { ...book, find }, head: { number: 9, timestamp: START } })
  const chain = { chainId, follower: { latest }, steps: new Map(), halted: new Set() }
  return { chain, book, finds: () => finds }
}

function serviceOf(...chains: { chain: object }[]) {
  const served = new Map(chains.map(({ chain }, at) => [at, chain]))
  const context = { chains: served, settings: { now: () => START } } as unknown as OrdersContext
  return createOrdersService(context, [], OWNER)
}

test.each([
  1, 2, 3, 7, 100,
])('pages of %i list each of an owner’s orders on two chains once, the newest first', (limit) => {
  const chains = [chainWith(1, 20), chainWith(2, 11)]
  const service = serviceOf(...chains)
  const orders = chains.flatMap(({ book }) => [...book.all()].map(({ facts }) => facts))
  const keyOf = ({ fundedAt, orderId }: { fundedAt: number; orderId: Hex }) =>
    `${fundedAt} ${orderId}`
  const expected = orders.map(keyOf).sort().reverse()
  const listed: string[] = []
  let cursor: string | null = null
  do {
    const page = service.list(OWNER, { limit, cursor })
    expect(page.total).toBe(31)
    listed.push(
      ...page.orders.map((one) => keyOf({ fundedAt: one.createdAt, orderId: one.vaultOrderId })),
    )
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(listed).toEqual(expected)
})

test('a page of an owner’s many orders looks at a few of them', () => {
  const many = chainWith(1, 5_000)
  const service = serviceOf(many)
  const { nextCursor } = service.list(OWNER, { limit: 20, cursor: null })
  service.list(OWNER, { limit: 20, cursor: nextCursor })
  expect(many.finds()).toBeLessThan(100)
})
