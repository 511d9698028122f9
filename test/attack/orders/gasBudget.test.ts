import { setTimeout } from 'node:timers/promises'
import { encodeFunctionData, erc20Abi, getAddress } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { stakeAccount } from '../../../devnet/deploy/stakeAccount.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import {
  type Answer,
  get,
  type OrdersRig,
  PER_PERIOD,
  post,
  startOrdersRig,
} from '../../integration/orders/ordersRig.ts'

/** Long, so that no time that this takes itself makes a difference: each block is a second at least. */
const [HOUR, DAY] = [3_600, 86_400]
const PERIOD = 4 * HOUR
/** Gas that the service takes for nothing in a day, of fundings half: two of them, with their closes. */
const LIMIT = 1_600_000n

let rig: OrdersRig
beforeAll(async () => {
  rig = await startOrdersRig({ start: false })
}, 300_000)
afterEach(() => rig?.stopServices())
afterAll(() => rig?.stop())

/** As its sender should: an order whose funding isn't in a block yet is sent again to see its result. */
async function placeAt(url: string, owner: number, change: object): Promise<Answer['body']> {
  rig.url = url
  const { digest: _, ...body } = await rig.submission(rig.owners[owner], { ...change })
  for (;;) {
    const answer = await post(`${url}/orders`, body)
    if (answer.body.code !== 'FUNDING_PENDING') return answer.body
    await rig.base.client.mine({ blocks: 1 })
  }
}

/** At the instance that knows of it. */
async function cancelAt(url: string, owner: number, id: string): Promise<void> {
  rig.url = url
  await rig.cancel(id, rig.owners[owner])
  await rig.until(async () => (await rig.order(id))?.status === 'cancelled', 'its end')
}

/** What the service's account has spent from a block on. */
async function gasSpent(from: bigint): Promise<bigint> {
  const { client } = rig.base
  const last = await client.getBlockNumber()
  let spent = 0n
  for (let blockNumber = from; blockNumber <= last; blockNumber++) {
    const block = await client.getBlock({ blockNumber, includeTransactions: true })
    for (const { hash, from: sender } of block.transactions) {
      if (sender.toLowerCase() !== rig.account.toLowerCase()) continue
      spent += (await client.getTransactionReceipt({ hash })).gasUsed
    }
  }
  return spent
}

test('moving the same funds through new owners uses no more gas than the shared budget', async () => {
  const databaseUrl = await rig.postgres.createDatabase('fresh_owners')
  const start = () => rig.start({ databaseUrl, unpaidGas: 3_000_000n, unpaidGasOfAll: LIMIT })
  const first = await start()
  const later = { startTime: (await rig.now()) + 20 * HOUR, period: PERIOD }
  const from = await rig.base.client.getBlockNumber()
  rig.url = first.url
  let owner = 0
  let last: Answer['body']
  for (; owner < rig.owners.length - 1; owner++) {
    last = await placeAt(first.url, owner, later)
    if (!last.success) break
    await cancelAt(first.url, owner, last.orderId)
    const args = [rig.owners[owner + 1]!.address, 3n * PER_PERIOD] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
    await rig.base.senders[owner]!.execute({ to: rig.token, data })
  }
  expect(owner).toBe(2)
  expect(last).toMatchObject({ code: 'GAS_NOT_PAID', details: { reason: 'gas_budget_spent' } })
  expect(await gasSpent(from)).toBeLessThan(LIMIT / 2n)

  // New owners aren't paid for either, although this service has just started with two instances.
  await rig.stopServices()
  const two = [await start(), await start()]
  const asked = await Promise.all(two.map(({ url }, at) => placeAt(url, 3 + at, later)))
  expect(asked.map(({ code }) => code)).toEqual(['GAS_NOT_PAID', 'GAS_NOT_PAID'])
  rig.url = two[0]!.url
  const { body: health } = await get(`${rig.url}/health`)
  expect(health.problems.map(({ code }: { code: string }) => code)).toContain('GAS_BUDGET_SPENT')

  // The signed order runs like any other once its owner sends it.
  const { to, data } = last.details
  expect(to).toBe(getAddress(to))
  await rig.base.senders[2]!.execute({ to, data })
  const own = async () => (await get(`${rig.url}/orders?user=${rig.owners[2]!.address}`)).body
  await rig.until(async () => (await own()).total === 1, 'the order')
  await cancelAt(rig.url, 2, (await own()).orders[0].id)

  // A day later the budget is renewed, and two concurrent instances don't exceed it.
  await rig.pass(DAY)
  const isNewDay = async () => {
    const seen = await Promise.all(two.map(({ url }) => unpaidGas(url)))
    return seen.every(({ taken }) => taken === '0')
  }
  await rig.until(isNewDay, 'a new day, for both')
  const tomorrow = (await rig.now()) + 20 * HOUR
  const again = { ...later, startTime: tomorrow, endTime: tomorrow + DAY }
  const answers = await Promise.all(
    [0, 1, 3, 4].map((one, at) => placeAt(two[at % 2]!.url, one, again)),
  )
  expect(answers.map(({ code }) => code ?? 'funded').sort()).toEqual([
    ...['GAS_NOT_PAID', 'GAS_NOT_PAID', 'funded', 'funded'],
  ])
  for (const [at, one] of [0, 1, 3, 4].entries()) {
    if (answers[at].success) await cancelAt(two[at % 2]!.url, one, answers[at].orderId)
  }
}, 300_000)

test('tranches of owners without a record wait, oldest first; an owner with a record is unaffected', async () => {
  const databaseUrl = await rig.postgres.createDatabase('in_line')
  // Before the start: a service that has not seen the new day yet would choose a funding deadline of the last.
  await rig.pass(DAY)
  const all = await rig.start({ databaseUrl })
  rig.url = all.url
  const terms = { period: PERIOD, endTime: (await rig.now()) + 30 * DAY }
  const recorded = (await placeAt(all.url, 5, { ...terms, amounts: ['900000', '5'] })).orderId
  await rig.until(async () => (await rig.order(recorded)).tranchesFilled === 1, 'fired')
  await deliver()
  await rig.until(async () => (await settled(all)) === 1, 'the record')
  const startTime = (await rig.now()) + PERIOD / 2
  const newcomers: string[] = []
  for (const owner of [1, 2, 3]) {
    const change = { ...terms, startTime: startTime + 10 * owner }
    newcomers.push((await placeAt(all.url, owner, change)).orderId)
  }
  const [first, second, third] = newcomers as [string, string, string]
  // A report serves all who ask within a second: the last was made before the newcomers.
  await setTimeout(1_500)
  const [report] = await all.orders.report()
  await rig.stopServices()

  // Gas of one tranche is left, and four are due.
  await rig.pass(PERIOD / 2 + 200)
  const unpaidGasOfAll = report!.unpaidGas.taken + 300_000n
  const [one] = [
    await rig.start({ databaseUrl, unpaidGasOfAll }),
    await rig.start({ databaseUrl, unpaidGasOfAll }),
  ]
  rig.url = one.url
  const filled = async () =>
    Promise.all(
      [recorded, ...newcomers].map(async (id) => (await rig.order(id))?.tranchesFilled ?? null),
    )
  await rig.until(async () => {
    const waiting = (await unpaidGas()).waiting === 2
    return waiting && String(await filled()) === '2,1,0,0'
  }, 'who is paid for')
  expect((await rig.order(second)).lastError).toBe('GAS_BUDGET_SPENT')
  expect((await rig.order(recorded)).lastError).toBeNull()
  const { body: stuck } = await get(`${rig.url}/stuck`)
  expect(stuck.orders).toMatchObject([
    { id: second, step: 'fireTranche 0', problem: 'GAS_BUDGET_SPENT' },
    { id: third, step: 'fireTranche 0', problem: 'GAS_BUDGET_SPENT' },
  ])
  const metrics = await (await fetch(`${rig.url}/metrics`)).text()
  expect(metrics).toContain('cairn_orders_waiting_for_gas{chain="base_sepolia"} 2\n')

  // Anyone may send a waiting call, but gets no signature for another.
  expect((await get(`${rig.url}/orders/${recorded}/tranche`)).body.code).toBe('TRANCHE_NOT_WAITING')
  const { body: call } = await get(`${rig.url}/orders/${third}/tranche`)
  // As docs/orders.md has its sender check it.
  expect(call.data).toMatch(/^0xb87a541c/)
  await rig.base.rogue.execute({ to: call.to, data: call.data })
  await rig.until(async () => String(await filled()) === '2,1,0,1', 'the third')

  await rig.pass(DAY)
  await rig.until(async () => ((await filled())[2] ?? 0) > 0, 'its turn')
  expect((await rig.order(first)).status).toBe('active')
}, 300_000)

async function unpaidGas(url = rig.url) {
  return (await get(`${url}/health`)).body.chains[0].unpaidGas
}

async function settled({ orders }: { orders: OrdersRig['orders'] }): Promise<number> {
  return (await orders.report())[0]!.tranches.settled
}

/** A solver wins and delivers the only tranche there is under way. */
async function deliver(): Promise<void> {
  const { pair, base } = rig
  const { play } = pair
  await stakeAccount(
    base.client,
    base.solvers[0]!,
    deriveDevnetAccounts().solvers[0]!,
    base.contracts,
  )
  const logs = await base.client.getContractEvents({
    address: rig.vault,
    abi: orderVaultAbi,
    eventName: 'TrancheFired',
    fromBlock: 0n,
    strict: true,
  })
  const { intentId } = logs.at(-1)!.args
  await play.anchor(intentId)
  await rig.pass(20)
  await play.bid(intentId)
  await rig.pass(PERIOD / 2)
  await play.deposit(intentId)
  await play.settle(intentId, await play.deliver(intentId))
}
