import { describe, expect, test } from 'vitest'
import { deriveOrderStatus, ORDER_STATUSES } from '../../../core/order/orderStatus.ts'
import type { AsOf } from '../../../services/store/asOf/resolveAsOf.ts'
import { readChainStates } from '../../../services/store/chains/readChainStates.ts'
import { type Db, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { loadOrdersAsOf } from '../../../services/store/orders/loadOrdersAsOf.ts'
import { ORDERS } from '../../../services/store/orders/scheduledOrders.ts'
import type { OrderFacts } from '../../../src/order/orderFacts.ts'
import { toGraphqlMoment } from './arbitraryAsOfLists.ts'
import type { PastAnswer, PastQuery } from './queryAsOf.ts'
import type { Moment, ReplayedPast } from './replayAsOf.ts'

type Scene = {
  databaseUrl: string
  pasts: readonly { moment: Moment; past: ReplayedPast }[]
  get(path: string): Promise<PastAnswer>
  graphql(query: string, variables?: object): Promise<PastQuery>
  asOfOf(db: Db, moment: Moment): Promise<AsOf>
}

/** Tests of orders as they stood. @param begun called once the tests have begun */
export function describeOrdersAsOf(begun: () => Scene): void {
  describe('scheduled orders', () => {
    const FIELDS = `orderId chainId status stopReason isClosed tranchesFired tranchesCompleted
    tranchesRefunded amountSpent amountRefunded amountLeft nextTrancheAt updatedBlock`

    test('as of a block equal a replay up to it', async () => {
      const scene = begun()
      const { db, close } = openDatabase({ databaseUrl: scene.databaseUrl })
      let compared = 0
      for (const { moment, past } of scene.pasts) {
        const asOf = await scene.asOfOf(db, moment)
        const keys = (await everyOrder(db)).map(({ chainId, orderId }) => ({ chainId, orderId }))
        const found = await loadOrdersAsOf(db, keys, asOf.cutoffs)
        const byKey = (orders: readonly OrderFacts[]) =>
          new Map(orders.map((order) => [`${order.chainId}:${order.orderId}`, order]))
        expect(byKey(found)).toEqual(byKey(past.orders))
        compared += found.length
      }
      await close()
      expect(compared).toBeGreaterThan(30)
    })

    test('as of a block have the derived status over GraphQL, with their tranches and intents', async () => {
      const scene = begun()
      for (const { moment, past } of scene.pasts.slice(0, 4)) {
        for (const order of past.orders.slice(0, 5)) {
          const query = `query ($asOf: [AsOfBlock!]) { order(id: "${order.orderId}",
          chainId: ${order.chainId}, asOf: $asOf) { id ${FIELDS}
            tranches(first: 100) { nodes { intent { status order { id } } } } } }`
          const { data, errors } = await scene.graphql(query, { asOf: toGraphqlMoment(moment) })
          expect(errors).toBeUndefined()
          const { timestamp } = past.heads.get(order.chainId)!
          expect(data.order).toMatchObject(deriveOrderStatus(order, timestamp))
          const { nodes } = data.order.tranches
          expect(nodes).toHaveLength(order.tranchesFired)
          for (const { intent } of nodes) expect(intent.order.id).toBe(data.order.id)
        }
      }
    })

    test('are listed by their derived status over GraphQL and REST', async () => {
      const scene = begun()
      const { db, close } = openDatabase({ databaseUrl: scene.databaseUrl })
      const heads = new Map(
        (await readChainStates(db)).ready.map(({ chainId, head }) => [chainId, head]),
      )
      const all = await everyOrder(db)
      await close()
      const seen = new Set<string>()
      for (const status of ORDER_STATUSES) {
        const expected = all
          .filter((order) => {
            const standing = deriveOrderStatus(order, heads.get(order.chainId)!.timestamp)
            return standing.status === status
          })
          .map(({ orderId }) => orderId)
        if (expected.length > 0) seen.add(status)
        const query = `{ orders(first: 100, where: { status: ${status} }) { totalCount nodes { orderId } } }`
        const { orders } = (await scene.graphql(query)).data
        expect(orders.totalCount).toBe(expected.length)
        expect(orders.nodes.map(({ orderId }) => orderId).sort()).toEqual(expected.toSorted())
        const { body } = await scene.get(`/order-details?status=${status}&limit=100`)
        const listed = body.orders.map(({ vaultOrderId }) => vaultOrderId).sort()
        expect([body.total, listed]).toEqual([expected.length, expected.toSorted()])
      }
      expect(seen.size).toBeGreaterThan(1)
    })

    test('are listed by user over REST, and read by either id with their tranches', async () => {
      const scene = begun()
      const first = await scene.get('/order-details?limit=3')
      const order = first.body.orders[0]!
      const next = await scene.get(`/order-details?limit=100&cursor=${first.body.nextCursor}`)
      expect(first.body.orders.length + next.body.orders.length).toBe(first.body.total)
      const own = await scene.get(`/order-details?user=${order.user}&limit=100`)
      expect(own.body.orders.every(({ user }) => user === order.user)).toBe(true)
      for (const id of [order.id, order.vaultOrderId]) {
        const path = `/order-details/${id}?sourceChainId=${order.sourceChainId}`
        const { body } = await scene.get(path)
        const { tranches, ...record } = body.order
        expect(record).toEqual(order)
        expect(tranches).toHaveLength(order.tranchesFilled)
      }
      const codes = await Promise.all(
        [`twap-${'0'.repeat(32)}`, 'twap-1', 'x'].map((id) => scene.get(`/order-details/${id}`)),
      )
      expect(codes.map(({ status }) => status)).toEqual([404, 400, 400])
      expect((await scene.get('/order-details?cursor=abc')).body.code).toBe('INVALID_CURSOR')
    })

    function everyOrder(db: Db) {
      const page = { direction: 'desc', fromEnd: false, limit: 1_000 } as const
      return ORDERS.list(db, { filter: {}, heads: new Map() }, page)
    }
  })
}
