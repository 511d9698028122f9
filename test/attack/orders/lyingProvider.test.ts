import { encodeFunctionData, type Hex, parseAbi, toFunctionSelector, toHex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { createAccountSender } from '../../../services/chain/accountSender.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import {
  type Answer,
  type OrdersRig,
  PER_PERIOD,
  post,
  startOrdersRig,
} from '../../integration/orders/ordersRig.ts'
import { type Fault, type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'

const bridgeAbi = parseAbi(['function pauseCreation()', 'function resumeCreation()'])

let rig: OrdersRig
/** The provider that the service asks first, and that lies. */
let provider: FaultyRpc

beforeAll(async () => {
  rig = await startOrdersRig({ start: false })
  provider = await startFaultyRpc(rig.base.node.rpc)
}, 300_000)
afterEach(async () => {
  provider.inject(undefined)
  await rig?.stopServices()
})
afterAll(async () => {
  await provider?.close()
  await rig?.stop()
})

async function start(
  name: string,
  options: Parameters<OrdersRig['start']>[0] = {},
  others: readonly string[] = [],
) {
  const rpcUrls = [provider.url, ...others]
  const chains = rig.configs.map((chain) =>
    chain.chainId === rig.base.config.chainId ? { ...chain, rpcUrls } : chain,
  )
  const databaseUrl = await rig.postgres.createDatabase(name)
  rig.url = (await rig.start({ chains, databaseUrl, ...options })).url
}

/** Again while its funding isn’t in a block. */
async function place(owner: number, change: object): Promise<Answer['body']> {
  const { digest: _, ...order } = await rig.submission(rig.owners[owner], { ...change })
  for (;;) {
    const { body } = await post(`${rig.url}/orders`, order)
    if (body.code !== 'FUNDING_PENDING') return body
    await rig.base.client.mine({ blocks: 1 })
  }
}

/** Transactions of the service that failed in their blocks. */
async function failedSince(block: bigint): Promise<number> {
  const { client } = rig.base
  let failed = 0
  for (let at = block; at <= (await client.getBlockNumber()); at++) {
    const { transactions } = await client.getBlock({ blockNumber: at, includeTransactions: true })
    for (const { hash, from } of transactions) {
      if (from.toLowerCase() !== rig.account.toLowerCase()) continue
      const { status } = await client.getTransactionReceipt({ hash })
      if (status === 'reverted') failed += 1
    }
  }
  return failed
}

test('a provider that underestimates gas makes no call fail on chain', async () => {
  await start('little_gas')
  const from = await rig.base.client.getBlockNumber()
  // More than any such transaction takes, and less than this one.
  provider.inject(({ method }) =>
    method === 'eth_estimateGas' ? { result: toHex(60_000) } : undefined,
  )
  const body = await place(0, { totalAmountIn: String(PER_PERIOD + 3n) })
  await rig.untilOrder(body.orderId, ({ refundTxHash }) => refundTxHash !== null, 'its end')
  expect((await rig.order(body.orderId)).tranchesFilled).toBe(1)
  expect(await failedSince(from)).toBe(0)
})

test('a provider that hides why tranches fail can’t exceed one owner’s gas allowance', async () => {
  // Gas of two tranches.
  await start('hidden_reverts', { unpaidGas: 600_000n })
  const startTime = (await rig.now()) + 600
  const body = await place(1, { startTime, period: 3_600 })
  await say('pauseCreation')
  const from = await rig.base.client.getBlockNumber()
  provider.inject(({ method }) =>
    method === 'eth_estimateGas' ? { result: toHex(300_000) } : undefined,
  )
  await rig.pass(610)
  const lastError = async () => (await rig.order(body.orderId)).lastError
  await rig.until(async () => (await lastError()) === 'OWNER_BRINGS_NO_FEE', 'no more is paid')
  const failed = await failedSince(from)
  expect(failed).toBeGreaterThan(0)
  expect(failed).toBeLessThanOrEqual(2)
  expect((await rig.order(body.orderId)).tranchesFilled).toBe(0)
  await say('resumeCreation')
})

test('a cancel that fails because a provider says so for a while still happens, before the next tranche', async () => {
  await start('late_cancel')
  const startTime = (await rig.now()) + 600
  const { orderId, order } = await place(4, { startTime, period: 3_600 })
  const close = toFunctionSelector('closeOrderSigned(bytes32,bytes[])')
  const reverted = { error: { code: 3, message: 'execution reverted', data: '0x' } }
  provider.inject(({ method, params }) => {
    const { data = '' } = (params?.[0] ?? {}) as { data?: string }
    return method === 'eth_estimateGas' && data.startsWith(close) ? reverted : undefined
  })
  expect(await rig.cancel(orderId, rig.owners[4])).toMatchObject({
    status: 503,
    body: { code: 'CANCEL_PENDING', error: expect.stringContaining('send it again') },
  })
  provider.inject(undefined)
  await rig.pass(610)
  await rig.until(async () => (await rig.onChain(order.vaultOrderId)).closed, 'its end')
  expect((await rig.onChain(order.vaultOrderId)).fired).toBe(0n)
})

describe('a lying provider’s refusal of an order', () => {
  const fundOrder = orderVaultAbi.find((one) => 'name' in one && one.name === 'fundOrder')
  const zeros = { change: (answer: unknown) => String(answer).replace(/[^x]/g, '0') }
  const reverted = { error: { code: 3, message: 'execution reverted', data: '0x' } }
  const LIES: [string, Hex, Fault][] = [
    ['listing', toFunctionSelector('tokenListing(address)'), zeros],
    ['destination', toFunctionSelector('isDestinationListed(uint256)'), zeros],
    ['allowance', toFunctionSelector('allowance(address,address)'), zeros],
    ['balance', toFunctionSelector('balanceOf(address)'), zeros],
    ['revert', toFunctionSelector(fundOrder as never), reverted],
  ]
  const lieOf = (selector: Hex, fault: Fault) =>
    provider.inject(({ method, params }) => {
      const { data = '' } = (params?.[0] ?? {}) as { data?: string }
      return method === 'eth_call' && data.startsWith(selector) ? fault : undefined
    })
  const placeAt = (order: object) => post(`${rig.url}/orders`, order)

  test('one provider of three can’t have an order refused: the majority decides', async () => {
    const honest = await Promise.all([1, 2].map(() => startFaultyRpc(rig.base.node.rpc)))
    await start(
      'one_of_three',
      {},
      honest.map(({ url }) => url),
    )
    for (const [name, selector, fault] of LIES) {
      lieOf(selector, fault)
      const { body } = await rig.place(rig.owners[2], { startTime: (await rig.now()) + 50_000 })
      expect(body, name).toMatchObject({ success: true })
    }
    for (const one of honest) await one.close()
  })

  test('one provider of two can’t have an order refused for good: resubmitting the order funds it', async () => {
    await start('one_of_two', {}, [rig.base.node.rpc])
    for (const [name, selector, fault] of LIES) {
      const startTime = (await rig.now()) + 50_000
      const { digest: _, ...order } = await rig.submission(rig.owners[3], { startTime })
      lieOf(selector, fault)
      expect(await placeAt(order), name).toMatchObject({
        status: 503,
        body: { code: 'RPC_UNREACHABLE' },
      })
      provider.inject(undefined)
      expect(await placeAt(order), name).toMatchObject({ body: { success: true } })
    }
  })
})

async function say(functionName: 'pauseCreation' | 'resumeCreation'): Promise<void> {
  const deployer = createAccountSender(rig.base.client, deriveDevnetAccounts().deployer)
  const data: Hex = encodeFunctionData({ abi: bridgeAbi, functionName })
  await deployer.execute({ to: rig.base.config.bridge, data })
}
