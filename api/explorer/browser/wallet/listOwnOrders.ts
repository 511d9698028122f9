import * as z from 'zod/mini'
import { requestRelayer } from '../../../../sdk/relayer/requestRelayer.ts'
import type { IndexedOrder } from '../../../rest/orders/indexedOrderSchemas.ts'

const MAX_PAGES = 20
const PAGE_LENGTH = 100

/** What the page computes with, or puts into a transaction. */
const order = z.looseObject({
  id: z.string(),
  vaultOrderId: z.string(),
  sourceChainId: z.string(),
  assetIn: z.string(),
  amountLeft: z.string().check(z.regex(/^\d{1,78}$/)),
})
const page = z.object({
  orders: z.array(order).check(z.maxLength(PAGE_LENGTH)),
  nextCursor: z.nullable(z.string()),
})

/** All scheduled orders of an owner, newest first. @throws RelayerError */
export async function listOwnOrders(origin: string, owner: string): Promise<IndexedOrder[]> {
  const orders: z.output<typeof order>[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const query = { user: owner, limit: PAGE_LENGTH, cursor }
    const address = { baseUrl: origin, service: 'this server' }
    const found = await requestRelayer(address, { path: '/order-details', query }, page)
    orders.push(...found.orders)
    if (found.nextCursor === null) break
    cursor = found.nextCursor
  }
  return orders as unknown as IndexedOrder[]
}
