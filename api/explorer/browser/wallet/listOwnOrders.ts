import type { IndexedOrder } from '../../../rest/orders/indexedOrderSchemas.ts'

const MAX_PAGES = 20

type Page = { orders: IndexedOrder[]; nextCursor: string | null }

/** All scheduled orders of an owner, newest first. */
export async function listOwnOrders(origin: string, owner: string): Promise<IndexedOrder[]> {
  const orders: IndexedOrder[] = []
  let cursor: string | null = null
  for (let page = 0; page < MAX_PAGES; page++) {
    const query: Record<string, string> = { user: owner, limit: '100', ...(cursor && { cursor }) }
    const answer = await fetch(`${origin}/order-details?${new URLSearchParams(query)}`)
    if (!answer.ok) throw new Error('this server can’t list your orders right now: try again')
    const found = (await answer.json()) as Page
    orders.push(...found.orders)
    cursor = found.nextCursor
    if (cursor === null) break
  }
  return orders
}
