import { encodeFunctionData, type Hex, parseAbi, toHex } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { devnetAccounts } from '../../../devnet/accounts.ts'
import { accountSender } from '../../../services/chain/accountSender.ts'
import {
  type Answer,
  type OrdersRig,
  PER_PERIOD,
  post,
  startOrdersRig,
} from '../../integration/orders/ordersRig.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'

const bridgeAbi = parseAbi(['function pauseCreation()', 'function resumeCreation()'])

let rig: OrdersRig
/** The only provider that the service has. */
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

async function start(name: string, options: Parameters<OrdersRig['start']>[0] = {}) {
  const chains = rig.configs.map((chain) =>
    chain.chainId === rig.base.config.chainId ? { ...chain, rpcUrls: [provider.url] } : chain,
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

test('a provider that names too little gas has no call fail in its block', async () => {
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

test('a provider that hides why tranches fail has no more of them paid for than one owner gets', async () => {
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

async function say(functionName: 'pauseCreation' | 'resumeCreation'): Promise<void> {
  const deployer = accountSender(rig.base.client, devnetAccounts().deployer)
  const data: Hex = encodeFunctionData({ abi: bridgeAbi, functionName })
  await deployer.execute({ to: rig.base.config.bridge, data })
}
