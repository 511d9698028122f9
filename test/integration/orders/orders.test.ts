import { afterAll, beforeAll, expect, test } from 'vitest'
import { get, type OrdersRig, PAYEES, PER_PERIOD, post, startOrdersRig } from './ordersRig.ts'

let rig: OrdersRig
beforeAll(async () => {
  rig = await startOrdersRig()
}, 300_000)
afterAll(() => rig?.stop())

const nowSeconds = () => Math.floor(Date.now() / 1_000)

test('from the approval to the last tranche and what is left, over HTTP alone', async () => {
  const [owner] = rig.owners
  const { body: address } = await get(`${rig.url}/address`)
  expect(address).toEqual({ success: true, address: rig.vault })
  const before = await rig.balanceOf(owner!.address)
  const total = PER_PERIOD * 2n + 7n
  const { digest, ...body } = await rig.submission(owner, { totalAmountIn: String(total) })
  const placed = await post(`${rig.url}/orders`, body)
  if (placed.status !== 200) console.log(JSON.stringify(placed.body))
  expect(placed).toMatchObject({ status: 200 })
  const { orderId, order } = placed.body
  expect(orderId).toBe(`twap-${digest.slice(0, 32)}`)
  expect(order).toMatchObject({
    ...{ id: orderId, user: owner!.address, status: 'active', totalTranches: 2, period: 60 },
    ...{ totalAmountIn: String(total), chainIn: 'base_sepolia', chainOut: 'horizen_testnet' },
    ...{ stopReason: null, refundTxHash: null, lastError: null },
  })
  expect(order).not.toHaveProperty('recipients')
  await rig.untilOrder(orderId, ({ tranchesFilled }) => tranchesFilled === 1, 'first tranche')
  expect((await rig.order(orderId)).amountSpent).toBe(String(PER_PERIOD))
  await rig.pass(60)
  await rig.untilOrder(orderId, ({ refundTxHash }) => refundTxHash !== null, 'closed')
  const ended = await rig.order(orderId)
  expect(ended).toMatchObject({
    ...{ status: 'completed', stopReason: 'filled', tranchesFilled: 2, nextTrancheAt: null },
    ...{ amountSpent: String(PER_PERIOD * 2n), amountRefunded: '7', amountLeft: '0' },
  })
  expect(before - (await rig.balanceOf(owner!.address))).toBe(PER_PERIOD * 2n)
  // The tranche is the owner's own intent, by the terms of the specification.
  const word = await ownersRead(orderId)
  const { body: mine } = await get(`${rig.url}/orders/${orderId}`, word)
  expect(mine.order.recipients.map((one: string) => one.toLowerCase())).toEqual(PAYEES)
  expect(mine.order.intentIds).toHaveLength(2)
  const again = await post(`${rig.url}/orders`, body)
  expect(again.body.order.fundingTxHash).toBe(order.fundingTxHash)
})

test('a stranger sees neither recipients nor, in strict mode, intents', async () => {
  const { body } = await rig.place(rig.owners[1], { startTime: nowSeconds() + 80_000 })
  const { body: list } = await get(`${rig.url}/orders?user=${rig.owners[1]!.address}`)
  expect(list).toMatchObject({ success: true, total: 1, nextCursor: null })
  expect(JSON.stringify(list).toLowerCase()).not.toContain(PAYEES[0].slice(2))
  const asStranger = await ownersRead(body.orderId, rig.owners[2])
  expect(await get(`${rig.url}/orders/${body.orderId}`, asStranger)).toMatchObject({
    ...{ status: 400, body: { code: 'SIGNER_MISMATCH' } },
  })
})

test('a cancel before the start gives everything back, once', async () => {
  const owner = rig.owners[1]!
  const before = await rig.balanceOf(owner.address)
  const { body } = await rig.place(owner, { startTime: nowSeconds() + 80_000 })
  const cancelled = await rig.cancel(body.orderId, owner)
  expect(cancelled.body.order).toMatchObject({
    ...{ status: 'cancelled', stopReason: 'user_cancel', amountLeft: '0' },
    ...{ amountRefunded: String(PER_PERIOD * 3n), tranchesFilled: 0 },
  })
  expect(await rig.balanceOf(owner.address)).toBe(before)
  expect((await rig.cancel(body.orderId, owner)).status).toBe(200)
})

test('pages are newest first and complete', async () => {
  const owner = rig.owners[4]!
  const ids: string[] = []
  for (let made = 0; made < 3; made++) {
    const { body } = await rig.place(owner, { startTime: nowSeconds() + 80_000 })
    ids.push(body.orderId)
    await rig.pass(1)
  }
  const list = async (more: string) =>
    (await get(`${rig.url}/orders?user=${owner.address}&limit=2${more}`)).body
  const first = await list('')
  const second = await list(`&cursor=${first.nextCursor}`)
  const told = [...first.orders, ...second.orders].map(({ id }: { id: string }) => id)
  expect(told).toEqual(ids.toReversed())
  expect([first.total, second.nextCursor]).toEqual([3, null])
})

test('health tells the books to the unit, and the documents what there is', async () => {
  await rig.until(async () => {
    const { body } = await get(`${rig.url}/health`)
    return body.chains[0].ledger?.[0]?.difference === '0'
  }, 'books')
  const { body } = await get(`${rig.url}/health`)
  expect(body).toMatchObject({ status: 'ok', service: 'scheduled-orders', problems: [] })
  const metrics = await (await fetch(`${rig.url}/metrics`)).text()
  expect(metrics).toMatch(/cairn_orders_ledger_difference\{[^}]*\} 0/)
  const { body: document } = await get(`${rig.url}/openapi.json`)
  expect(Object.keys(document.paths).sort()).toEqual([
    ...['/address', '/ecies-pubkey', '/health', '/orders', '/orders/{orderId}'],
    ...['/orders/{orderId}/cancel', '/ready', '/stuck'],
  ])
  expect((await fetch(`${rig.url}/docs`)).status).toBe(200)
  expect((await get(`${rig.url}/v1/ready`)).status).toBe(200)
})

async function ownersRead(what: string, by = rig.owners[0]!) {
  const timestamp = nowSeconds()
  const signature = await by.signMessage!({ message: `TWAP_READ:${what}:${timestamp}` })
  return { 'x-signature': signature, 'x-timestamp': String(timestamp) }
}
