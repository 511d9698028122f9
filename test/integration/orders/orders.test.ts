import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { getAddress, numberToHex, pad, size } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { listOrderSlots } from '../../../core/proof/storage/orderRecord.ts'
import { createOrdersClient, type ScheduledOrder, waitForOrder } from '../../../sdk/index.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import { EnclaveBindingError } from '../../../services/enclaveBinding/bindDatabase.ts'
import { estimateTrancheGas } from '../../../services/orders/gas/estimateOrderCallGas.ts'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'
import { encodeMint } from '../../rig/encodeMint.ts'
import { startFaultyRpc } from '../../rig/faultyRpc.ts'
import { lintOpenApi } from '../../rig/lintOpenApi.ts'
import { until } from '../../rig/until.ts'
import {
  get,
  type OrderOwner,
  type OrdersRig,
  PAYEES,
  PER_PERIOD,
  post,
  startOrdersRig,
} from './ordersRig.ts'
import { orderWithEthers } from './orderWithEthers.ts'
import { createSafeOrderOwner } from './safeOrderOwner.ts'
import { createTestEnclave } from './testEnclave.ts'

const OTHER_ROOT = new Uint8Array(32).fill(0x5d)

let rig: OrdersRig
beforeAll(async () => {
  // Two operators: what one signs is worth nothing alone.
  rig = await startOrdersRig({ quorum: 2 })
}, 300_000)
afterAll(() => rig?.stop())

const nowSeconds = () => Math.floor(Date.now() / 1_000)

test('an order runs from approval to last tranche and refund over HTTP alone', async () => {
  const [owner] = rig.owners
  const { body: address } = await get(`${rig.url}/address`)
  expect(address).toEqual({ success: true, address: rig.vault })
  const before = await rig.balanceOf(owner!.address)
  const total = PER_PERIOD * 2n + 7n
  const { digest, ...body } = await rig.submission(owner, { totalAmountIn: String(total) })
  const placed = await post(`${rig.url}/orders`, body)
  expect(placed, JSON.stringify(placed.body)).toMatchObject({ status: 200 })
  const { orderId, order } = placed.body
  expect(orderId).toBe(`twap-${digest.slice(0, 32)}`)
  expect(order).toMatchObject({
    id: orderId,
    user: owner!.address,
    status: 'active',
    totalTranches: 2,
    period: 60,
    totalAmountIn: String(total),
    chainIn: 'base_sepolia',
    chainOut: 'horizen_testnet',
    stopReason: null,
    refundTxHash: null,
    lastError: null,
  })
  expect(order).not.toHaveProperty('recipients')
  await rig.untilOrder(orderId, ({ tranchesFilled }) => tranchesFilled === 1, 'first tranche')
  expect((await rig.order(orderId)).amountSpent).toBe(String(PER_PERIOD))
  await rig.pass(60)
  await rig.untilOrder(orderId, ({ refundTxHash }) => refundTxHash !== null, 'closed')
  const ended = await rig.order(orderId)
  expect(ended).toMatchObject({
    status: 'completed',
    stopReason: 'filled',
    tranchesFilled: 2,
    nextTrancheAt: null,
    amountSpent: String(PER_PERIOD * 2n),
    amountRefunded: '7',
    amountLeft: '0',
  })
  expect(before - (await rig.balanceOf(owner!.address))).toBe(PER_PERIOD * 2n)
  expect(await payersOfClosings()).toEqual([{ payer: 'closings' }])
  // The tranche is the owner's own intent, by the terms of the specification.
  const word = await ownersRead(orderId)
  const { body: mine } = await get(`${rig.url}/orders/${orderId}`, word)
  expect(mine.order.recipients.map((one: string) => one.toLowerCase())).toEqual(PAYEES)
  expect(mine.order.intentIds).toHaveLength(2)
  // Nor is a signature's form a key: the same order is answered as it stands.
  const { signature } = body
  const upper = `0x${signature.slice(2).toUpperCase()}`
  const short = `${signature.slice(0, 130)}0${Number(`0x${signature.slice(130)}`) - 27}`
  for (const form of [signature, upper, short]) {
    const again = await post(`${rig.url}/orders`, { ...body, signature: form })
    expect(again.body.order?.fundingTxHash, form).toBe(order.fundingTxHash)
  }
  const { body: all } = await get(`${rig.url}/orders?user=${owner!.address}`)
  expect(all.total).toBe(1)
})

/** On whose behalf the service closes orders: thousands of one payer don't delay what others wait for. */
async function payersOfClosings() {
  const { db, close } = openDatabase({ databaseUrl: rig.postgres.databaseUrl })
  const found = await sql`select payer from app.transaction where kind = 'closeOrder'`.execute(db)
  await close()
  return found.rows
}

test('a stranger sees an order’s intents, as on the chain, but no recipients', async () => {
  const { body } = await rig.place(rig.owners[1], { startTime: nowSeconds() + 80_000 })
  const { body: list } = await get(`${rig.url}/orders?user=${rig.owners[1]!.address}`)
  expect(list).toMatchObject({ success: true, total: 1, nextCursor: null })
  expect(JSON.stringify(list).toLowerCase()).not.toContain(PAYEES[0].slice(2))
  const { body: fired } = await get(`${rig.url}/orders?user=${rig.owners[0]!.address}`)
  expect(fired.orders[0].intentIds).toHaveLength(2)
  const asStranger = await ownersRead(body.orderId, rig.owners[2])
  expect(await get(`${rig.url}/orders/${body.orderId}`, asStranger)).toMatchObject({
    status: 400,
    body: { code: 'SIGNER_MISMATCH' },
  })
})

test('cancelling an order before its start refunds everything, once', async () => {
  const owner = rig.owners[1]!
  const before = await rig.balanceOf(owner.address)
  const { body } = await rig.place(owner, { startTime: nowSeconds() + 80_000 })
  const cancelled = await rig.cancel(body.orderId, owner)
  expect(cancelled.body.order).toMatchObject({
    status: 'cancelled',
    stopReason: 'user_cancel',
    amountLeft: '0',
    amountRefunded: String(PER_PERIOD * 3n),
    tranchesFilled: 0,
  })
  expect(await rig.balanceOf(owner.address)).toBe(before)
  expect((await rig.cancel(body.orderId, owner)).status).toBe(200)
  // Once that is final, only the database has the ciphertext.
  await rig.base.client.mine({ blocks: 50 })
  const mined = Number(await rig.base.client.getBlockNumber())
  const isRead = async () => (await get(`${rig.url}/health`)).body.chains[0].blockNumber >= mined
  await rig.until(isRead, 'the service to read these blocks')
  const word = await ownersRead(body.orderId, owner)
  const { body: read } = await get(`${rig.url}/orders/${body.orderId}`, word)
  expect(read.order.recipients.map((one: string) => one.toLowerCase())).toEqual(PAYEES)
  expect((await rig.cancel(body.orderId, owner)).status).toBe(200)
})

test('pages of orders are complete, newest first', async () => {
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
  const reported = [...first.orders, ...second.orders].map(({ id }: { id: string }) => id)
  expect(reported).toEqual(ids.toReversed())
  expect([first.total, second.nextCursor]).toEqual([3, null])
})

test('/health reports the ledger to the unit and a wrong clock, and the API’s documents are complete', async () => {
  await rig.until(async () => {
    const { body } = await get(`${rig.url}/health`)
    return body.chains[0].ledger?.[0]?.difference === '0'
  }, 'books')
  const { body } = await get(`${rig.url}/health`)
  expect(body).toMatchObject({ status: 'ok', service: 'scheduled-orders', problems: [] })
  const { now } = Date
  vi.spyOn(Date, 'now').mockImplementation(() => now() - 120_000)
  const { body: late } = await get(`${rig.url}/health`).finally(() => vi.restoreAllMocks())
  expect(late.problems).toMatchObject([
    { chain: null, code: 'CLOCKS_DIFFER', what: expect.stringContaining(' s behind') },
  ])
  const metrics = await (await fetch(`${rig.url}/metrics`)).text()
  expect(metrics).toMatch(/cairn_orders_ledger_difference\{[^}]*\} 0/)
  const tranches = /cairn_orders_lateness_seconds_count\{chain="base_sepolia"\} (\d+)/
  expect(Number(tranches.exec(metrics)?.[1])).toBeGreaterThanOrEqual(2)
  const { body: document } = await get(`${rig.url}/openapi.json`)
  expect(Object.keys(document.paths).sort()).toEqual([
    ...['/address', '/ecies-pubkey', '/health', '/orders', '/orders/{orderId}'],
    ...['/orders/{orderId}/cancel', '/orders/{orderId}/tranche', '/ready', '/stuck'],
  ])
  expect(await lintOpenApi(document)).toEqual([])
  expect((await fetch(`${rig.url}/docs`)).status).toBe(200)
  const { body: key } = await get(`${rig.url}/ecies-pubkey`)
  expect(key.signer).toBe(getAddress(key.signer))
  expect((await get(`${rig.url}/v1/ready`)).status).toBe(200)
})

test('ethers and eciesjs alone suffice to complete an order, cancel one and close one on the contract', async () => {
  const privateKey = generatePrivateKey()
  const { address } = privateKeyToAccount(privateKey)
  const { client, contracts, node, relayer } = rig.base
  await client.setBalance({ address, value: 10n ** 18n })
  await relayer.execute({ to: rig.token, data: encodeMint(address, PER_PERIOD * 100n) })
  const now = await rig.now()
  const total = PER_PERIOD * 2n + 9n
  const owner = await orderWithEthers({
    rpc: node.rpc,
    service: rig.url,
    privateKey,
    order: {
      assetIn: rig.token,
      assetOut: contracts.tokens.ZEN,
      period: 60,
      chainIn: 'base_sepolia',
      chainOut: 'horizen_testnet',
      sourceChainId: 84532,
      destChainId: 2651420,
      startTime: now - 10,
      endTime: now + 86_400,
      totalAmountIn: String(total),
      amountPerPeriod: String(PER_PERIOD),
      recipients: [PAYEES[0]],
      amounts: ['900000'],
    },
  })
  const before = await owner.balance()
  const { id } = await owner.place()
  await rig.until(async () => (await owner.order(id)).tranchesFilled === 1, 'a tranche')
  await rig.pass(60)
  await rig.until(async () => (await owner.order(id)).refundTxHash !== null, 'its end')
  expect(await owner.order(id)).toMatchObject({ status: 'completed', amountRefunded: '9' })
  expect(before - (await owner.balance())).toBe(PER_PERIOD * 2n)

  const second = await owner.place()
  expect((await owner.cancel(second.id)).status).toBe('cancelled')
  const third = await owner.place()
  await owner.leave(third.vaultOrderId)
  await rig.until(async () => (await owner.order(third.id)).amountLeft === '0', 'its end')
  const all = await owner.mine()
  const ids = all.map((one: { id: string }) => one.id)
  expect(ids.sort()).toEqual([id, second.id, third.id].sort())
  const spent = all.map((one: { amountSpent: string }) => BigInt(one.amountSpent))
  expect(before - (await owner.balance())).toBe(spent.reduce((a: bigint, b: bigint) => a + b))
})

test('a Safe orders, reads and cancels by ERC-1271, and gets its refund', async () => {
  const safe = await createSafeOrderOwner(rig, 3)
  const before = await rig.balanceOf(safe.address)
  const { status, body } = await rig.place(safe)
  expect([status, body.code]).toEqual([200, undefined])
  await rig.untilOrder(body.orderId, ({ tranchesFilled }) => tranchesFilled === 1, 'first tranche')
  const { body: mine } = await get(
    `${rig.url}/orders/${body.orderId}`,
    await ownersRead(body.orderId, safe),
  )
  expect(mine.order).toMatchObject({
    user: getAddress(safe.address),
    recipients: expect.any(Array),
  })
  // Its owner's key signs for another account than the Safe.
  expect(await rig.cancel(body.orderId, rig.owners[3])).toMatchObject({
    status: 400,
    body: { code: 'SIGNER_MISMATCH' },
  })
  // As of owners that the Safe no longer has, one after another.
  const signMessage = async () => `0x${'1b'.repeat(130)}` as const
  expect(await rig.cancel(body.orderId, { ...safe, signMessage })).toMatchObject({
    status: 400,
    body: { code: 'INVALID_SIGNATURE', error: expect.stringContaining('ERC-1271') },
  })
  expect((await rig.cancel(body.orderId, safe)).body.order.status).toBe('cancelled')
  expect(before - (await rig.balanceOf(safe.address))).toBe(PER_PERIOD)
})

test.each([
  1, 200,
])('an order of %i recipients uses the gas its minimum is based on', async (count) => {
  const recipients = Array.from({ length: count }, (_, at) =>
    pad(numberToHex(at + 1_000), { size: 20 }),
  )
  const amounts = recipients.map((_, at) => String(10n ** 17n + BigInt(at)))
  const change = { recipients, amounts, totalAmountIn: String(PER_PERIOD + 3n) }
  const { digest, ...body } = await rig.submission(rig.owners[0], change)
  const { body: placed } = await post(`${rig.url}/orders`, body)
  await rig.untilOrder(placed.orderId, ({ refundTxHash }) => refundTxHash !== null, 'closed')
  const logs = await rig.base.client.getLogs({ address: rig.vault, fromBlock: 0n })
  const ours = logs.filter(({ topics }) => topics[1] === `0x${digest}`)
  const receipts = await Promise.all(
    [...new Set(ours.map(({ transactionHash }) => transactionHash))].map((hash) =>
      rig.base.client.getTransactionReceipt({ hash }),
    ),
  )
  const measured = Number(receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n))
  const { encrypted, message, signature } = body
  const bytes = size(encrypted) + message.length + size(signature)
  const reckoned = Number(estimateTrancheGas({ bytes, tranches: 1, quorum: 2 }))
  expect(measured).toBeLessThanOrEqual(reckoned)
  expect(measured).toBeGreaterThan(reckoned * 0.93)
})

test('the SDK orders, reads, lists, waits and cancels, by either id', async () => {
  const publicClient = rig.base.client as never
  const chains = [{ chainId: 84532, publicClient, vault: rig.vault }]
  const orders = createOrdersClient({ baseUrl: rig.url, chains })
  const owner = rig.owners[5]!
  const sign = (message: string) => owner.signMessage!({ message })
  expect(await orders.vaultAddress()).toBe(rig.vault)
  const now = await rig.now()
  const order = await orders.createOrder(
    {
      user: owner.address,
      assetIn: rig.token,
      assetOut: rig.base.contracts.tokens.ZEN,
      chainIn: 'base_sepolia',
      chainOut: 'horizen_testnet',
      sourceChainId: 84532,
      destChainId: 2651420,
      period: 60,
      totalAmountIn: PER_PERIOD * 3n,
      amountPerPeriod: PER_PERIOD,
      startTime: now - 10,
      endTime: now + 86_400,
      recipients: PAYEES,
      amounts: [900n, 5n],
    },
    sign,
  )
  const until = ({ tranchesFilled }: { tranchesFilled: number }) => tranchesFilled === 1
  let hasFired = false
  const vault = { client: rig.base.client, address: rig.vault }
  const waiting = waitForOrder(orders, order.id, { until, vault, pollMs: 50 }).then(() => {
    hasFired = true
  })
  await rig.until(() => hasFired, 'the first tranche')
  await waiting
  expect(await orders.order(order.vaultOrderId, sign)).toMatchObject({
    amounts: [900n, 5n],
    expectedAmountOut: 905n,
  })
  const { orders: listed } = await orders.listOrders(owner.address)
  expect(listed[0]!.intentIds).toHaveLength(1)
  await expect(orders.cancelOrder(order.id, asOther)).rejects.toMatchObject({
    code: 'SIGNER_MISMATCH',
  })
  const cancelled = await orders.cancelOrder(order.vaultOrderId, sign)
  expect(cancelled).toMatchObject({ status: 'cancelled', amountLeft: 0n })
  let ended: ScheduledOrder | null = null
  const ending = waitForOrder(orders, order.id, { vault, pollMs: 50 }).then((found) => {
    ended = found
  })
  await rig.until(() => ended !== null, 'the vault shows that it is closed')
  await ending
  expect(ended).toMatchObject({ status: 'cancelled', tranchesFilled: 1 })

  function asOther(message: string) {
    return rig.owners[4]!.signMessage!({ message })
  }
})

test('tokens sent to the vault are reported and do no harm', async () => {
  await rig.base.relayer.execute({ to: rig.token, data: encodeMint(rig.vault, 3n) })
  await rig.until(async () => {
    const { body } = await get(`${rig.url}/health`)
    return body.status === 'ok' && body.chains[0].ledger?.[0]?.difference === '3'
  }, 'the surplus')
})

test('a tranche without gas waits, shows in /health and /stuck, and fires once there is gas, unless its owner cancels', async () => {
  const { client } = rig.base
  const startTime = (await rig.now()) + 20
  const { body } = await rig.place(rig.owners[0], { startTime, period: 600 })
  const { body: other } = await rig.place(rig.owners[3], { startTime, period: 600 })
  await client.setBalance({ address: rig.account, value: 0n })
  await rig.pass(100)
  await rig.until(async () => {
    const { body: late } = await get(`${rig.url}/stuck`)
    const ours = late.orders.find(({ id }: { id: string }) => id === body.orderId)
    return ours?.step === 'fireTranche 0' && ours.problem === 'OUT_OF_GAS'
  }, 'the order among those that are stuck')
  // A report may be a second old.
  await rig.until(async () => {
    const { body: health } = await get(`${rig.url}/health`)
    const codes = health.problems.map(({ code }: { code: string }) => code)
    return health.status === 'degraded' && String(codes) === 'OUT_OF_GAS'
  }, 'the problem in /health')
  expect(await (await fetch(`${rig.url}/metrics`)).text()).toMatch(/cairn_orders_failing [1-9]/)
  expect((await rig.order(body.orderId)).tranchesFilled).toBe(0)
  // Its tranche was requested first, and yet the owner gets everything back.
  const cancelling = rig.cancel(other.orderId, rig.owners[3])
  const database = await rig.postgres.connect()
  const requested = `select kind from app.transaction where state = 'chosen' and effect like $1 order by id`
  await rig.until(async () => {
    const { rows } = await database.query(requested, [`${other.order.vaultOrderId}%`])
    return String(rows.map(({ kind }) => kind)) === 'fireTranche,closeOrder'
  }, 'the request to cancel')
  await client.setBalance({ address: rig.account, value: 10n ** 19n })
  await rig.untilOrder(body.orderId, ({ tranchesFilled }) => tranchesFilled === 1, 'the tranche')
  expect((await cancelling).body.order).toMatchObject({ status: 'cancelled', tranchesFilled: 0 })
  await rig.cancel(body.orderId)
})

test('with one enclave where two must sign, no order is funded or refused for good', async () => {
  const { digest, ...body } = await rig.submission(rig.owners[2])
  const databaseUrl = await rig.postgres.createDatabase('one_enclave')
  const alone = await rig.start({ enclaves: [rig.enclave], databaseUrl })
  const answer = await post(`${alone.url}/orders`, body)
  expect(answer).toMatchObject({ status: 503, body: { code: 'ENCLAVE_UNREACHABLE' } })
  expect(await rig.onChain(`0x${digest}`)).toMatchObject({ quorum: 0 })
  const placed = await post(`${rig.url}/orders`, body)
  expect(placed.status).toBe(200)
  expect(await rig.onChain(`0x${digest}`)).toMatchObject({ quorum: 2 })
  await rig.cancel(placed.body.orderId, rig.owners[2])
})

test('an order service whose enclave has another root doesn’t start, and pays from no other account', async () => {
  const other = await createTestEnclave(rig.configs, rig.mode, { roots: [OTHER_ROOT] })
  await expect(rig.start({ enclaves: [other] })).rejects.toThrow(EnclaveBindingError)
})

test('a service that has lost its database, and hasn’t read the funding yet, refuses no funded order', async () => {
  const { digest, ...body } = await rig.submission(rig.owners[2])
  const databaseUrl = await rig.postgres.createDatabase('lost')
  // It reads the chain once.
  const behind = await rig.start({ databaseUrl, roundMs: 3_600_000 })
  await until(async () => (await fetch(`${behind.url}/ready`)).ok)
  const placed = await post(`${rig.url}/orders`, body)
  expect(placed.status).toBe(200)
  // As if the owner had approved just this order.
  await rig.approve(2, 0n)
  const again = await post(`${behind.url}/orders`, body)
  await rig.approve(2)
  expect(again).toMatchObject({ status: 503, body: { code: 'FUNDING_PENDING' } })
  await rig.cancel(placed.body.orderId, rig.owners[2])
})

test('clients’ calls don’t use the connections that fire tranches', async () => {
  const asked = { own: new Set<string>(), clients: new Set<string>() }
  const watch = (names: Set<string>) =>
    rig.enclaves.map(
      (enclave) =>
        new Proxy(enclave, {
          get(target, name) {
            names.add(String(name))
            return Reflect.get(target, name)
          },
        }),
    ) as [Enclave, ...Enclave[]]
  await rig.stopServices()
  const enclavesForClients = watch(asked.clients)
  Object.assign(rig, await rig.start({ enclaves: watch(asked.own), enclavesForClients }))
  const { body } = await rig.place(rig.owners[2])
  await rig.untilOrder(body.orderId, ({ tranchesFilled }) => tranchesFilled > 0, 'a tranche')
  expect((await rig.cancel(body.orderId, rig.owners[2])).status).toBe(200)
  expect([...asked.clients].sort()).toEqual(['orderKeys', 'signClose', 'signFunding'])
  expect([...asked.own]).toEqual(expect.arrayContaining(['signTranche', 'signOrderTransaction']))
  expect([...asked.own]).not.toContain('signFunding')
})

test('two enclaves suffice when a third one signs wrongly', async () => {
  const [first, second] = rig.enclaves as [Enclave, Enclave]
  const signature = `0x${'11'.repeat(64)}1b` as const
  const rogue: Enclave = {
    ...second,
    signFunding: async (asked) => ({ ...(await second.signFunding(asked)), signature }),
    signTranche: async (asked) => ({ ...(await second.signTranche(asked)), signature }),
    signClose: async (asked) => ({ ...(await second.signClose(asked)), signature }),
  }
  const databaseUrl = await rig.postgres.createDatabase('rogue_enclave')
  const enclaves = [first, rogue, second] as const
  // Two databases can't share an account: each would take the other's nonces.
  await rig.stopServices()
  Object.assign(rig, await rig.start({ enclaves, databaseUrl }))
  const { body } = await rig.place(rig.owners[2])
  expect([body.success, body.code]).toEqual([true, undefined])
  await rig.untilOrder(body.orderId, ({ tranchesFilled }) => tranchesFilled > 0, 'a tranche')
  expect((await rig.cancel(body.orderId, rig.owners[2])).status).toBe(200)
})

test('a ledger that can’t be checked stays a problem in /health while the orders go on', async () => {
  const { orderId } = (await rig.place(rig.owners[0], { startTime: (await rig.now()) + 900 })).body
  const node = await startFaultyRpc(rig.base.config.rpcUrls[0]!)
  onTestFinished(node.close)
  const chains = rig.configs.map((config) =>
    config.chainId === 84532 ? { ...config, rpcUrls: [node.url] } : config,
  )
  const { orders, api, url } = await rig.start({ chains })
  onTestFinished(async () => {
    await api.stop()
    await orders.stop()
  })
  const readCodes = async () => {
    const { body } = await get(`${url}/health`)
    return body.problems.map(({ code }: { code: string }) => code)
  }
  await rig.until(async () => (await fetch(`${url}/ready`)).ok, 'the orders')
  node.inject(({ method }) => (method === 'eth_call' ? { status: 500 } : undefined))
  await rig.until(async () => (await readCodes()).length > 0, 'the problem')
  for (let times = 0; times < 20; times++) {
    expect(await readCodes()).toEqual(['RPC_UNREACHABLE'])
    await pause(50)
  }
  node.inject(undefined)
  await rig.until(async () => (await readCodes()).length === 0, 'the end of the problem')
  await rig.cancel(orderId)
})

test('an order of an earlier vault isn’t placed again in the present one, whoever repeats its owner’s message', async () => {
  const { client } = rig.base
  // With the database of this rig.
  await rig.stopServices()
  Object.assign(rig, await rig.start())
  const placed = await rig.place(rig.owners[0])
  expect(placed).toMatchObject({ status: 200 })
  // Without an expiry, and public in the funding's calldata.
  const say = (digest: string) => `my order ${digest}`
  const { digest, ...body } = await rig.submission(rig.owners[0], {}, say)
  // A vault that has this order.
  const vault = `0x${'f0'.repeat(20)}` as const
  const bytecode = await client.getCode({ address: rig.vault })
  await client.setCode({ address: vault, bytecode: bytecode! })
  const from = listOrderSlots(placed.body.order.vaultOrderId)
  for (const [at, slot] of listOrderSlots(`0x${digest}`).entries()) {
    const value = await client.getStorageAt({ address: rig.vault, slot: from[at]! })
    await client.setStorageAt({ address: vault, index: slot, value: value! })
  }
  const { db, close } = openDatabase({ databaseUrl: rig.postgres.databaseUrl })
  await sql`insert into orders.former_vault values (84532, ${vault}, 1, 0),
    (84532, ${`0x${'0f'.repeat(20)}`}, 1, 0), (84532, ${rig.base.contracts.bridge}, 1, 0)`.execute(
    db,
  )
  expect(await post(`${rig.url}/orders`, body)).toMatchObject({
    status: 400,
    body: { code: 'INVALID_SIGNATURE', error: expect.stringContaining('an earlier vault') },
  })
  expect(await rig.place(rig.owners[0])).toMatchObject({ status: 200 })
  await sql`truncate orders.former_vault`.execute(db)
  await close()
})

test('the service pays no more for gas than the chain’s maxFeeGwei', async () => {
  await rig.stopServices()
  const chains = rig.configs.map((config) => ({ ...config, maxFeeGwei: 0.5 }))
  Object.assign(rig, await rig.start({ chains, timeoutMs: 3_000 }))
  const { digest: _, ...body } = await rig.submission(rig.owners[0])
  // Nothing else makes a block, so this base fee stays.
  await rig.base.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 9n })
  await rig.base.client.mine({ blocks: 1 })
  const { body: refused } = await post(`${rig.url}/orders`, body)
  expect(refused).toMatchObject({ code: 'FUNDING_PENDING' })
  await rig.stopServices()
  Object.assign(rig, await rig.start())
  expect(await post(`${rig.url}/orders`, body)).toMatchObject({ status: 200 })
})

// The last one: the other chain's clock stays behind from here on.
test('a stalled chain doesn’t prevent funding on another chain', async () => {
  await rig.pass(700)
  const { vault } = rig.pair.horizen.contracts
  const chains = rig.configs.map((config) => ({ ...config, vault }))
  const databaseUrl = await rig.postgres.createDatabase('stands_still')
  await rig.stopServices()
  Object.assign(rig, await rig.start({ chains, databaseUrl }))
  await rig.until(async () => (await fetch(`${rig.url}/ready`)).ok, 'both chains')
  const { digest: _, ...body } = await rig.submission(rig.owners[0])
  expect(await post(`${rig.url}/orders`, body)).toMatchObject({ status: 200 })
})

async function ownersRead(orderId: string, by: OrderOwner = rig.owners[0]!) {
  const timestamp = nowSeconds()
  const signature = await by.signMessage!({ message: `TWAP_READ:${orderId}:${timestamp}` })
  return { 'x-signature': signature, 'x-timestamp': String(timestamp) }
}
