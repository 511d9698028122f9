import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toApiOrderId } from '../../../core/order/apiOrderId.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { stakeAccount } from '../../../devnet/deploy/stakeAccount.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import { get, type OrdersRig, PER_PERIOD, startOrdersRig } from './ordersRig.ts'
import { type SeededOrder, seedOrders } from './seedOrders.ts'

/** 50 by `ORDERS_OF_BOOKS`; each outcome in turn. */
const ORDERS = Number(process.env.ORDERS_OF_BOOKS ?? 14)

/** What is to become of an order, and what is then spent of it; the rest is back with its owner. */
const OUTCOMES = [
  'filled',
  'end_time',
  'cancelled',
  'tranche expired',
  'tranche cancelled',
  'tranche delivered',
  'tranche undelivered',
  'left by its owner',
  'closed by a stranger',
] as const
type Outcome = (typeof OUTCOMES)[number]

const SPENT: Record<Outcome, bigint> = {
  filled: 2n * PER_PERIOD,
  end_time: 2n * PER_PERIOD,
  cancelled: PER_PERIOD,
  'tranche expired': 0n,
  'tranche cancelled': 0n,
  'tranche delivered': PER_PERIOD,
  'tranche undelivered': 0n,
  'left by its owner': 0n,
  'closed by a stranger': 0n,
}
const REST = 7n
const DAY = 86_400
/** Long, so that no time that this takes itself makes a difference. An auction lasts for half a period. */
const HOUR = 3_600
/** After so many nobody changes the recipients any more, and solvers bid. */
const FIRM = 20

let rig: OrdersRig
beforeAll(async () => {
  rig = await startOrdersRig({ start: false })
}, 300_000)
afterAll(() => rig?.stop())

const outcomeOf = (at: number) => OUTCOMES[at % OUTCOMES.length]!

function buildTerms(outcome: Outcome, now: number): Record<string, unknown> {
  const [one, two] = [PER_PERIOD + REST, 2n * PER_PERIOD + REST].map(String)
  switch (outcome) {
    case 'filled':
      return { totalAmountIn: two, period: HOUR }
    case 'end_time':
      return { period: HOUR, endTime: now + 1.5 * HOUR }
    case 'cancelled':
      return { period: HOUR }
    case 'tranche expired':
      return { totalAmountIn: one, period: 30 }
    case 'tranche cancelled':
    case 'tranche delivered':
    case 'tranche undelivered':
      return { totalAmountIn: one, period: HOUR }
    case 'left by its owner':
      return { startTime: now + 10 * DAY, endTime: now + 20 * DAY }
    case 'closed by a stranger':
      return { startTime: now + DAY / 2, endTime: now + DAY / 2 + 1 }
  }
}

test(
  `the ledger of ${ORDERS} orders with mixed outcomes is exact, and owners can exit with every service down`,
  async () => {
    const { owners, base } = rig
    const balances = () => Promise.all(owners.map(({ address }) => rig.balanceOf(address)))
    const before = await balances()
    const now = await rig.now()
    const orders = await seedOrders(rig, ORDERS, (at) => buildTerms(outcomeOf(at), now))
    Object.assign(rig, await rig.start())
    const those = (outcome: Outcome) => orders.filter((_, at) => outcomeOf(at) === outcome)
    const all = (outcome: Outcome, is: (order: Record<string, unknown>) => boolean) =>
      rig.until(
        async () => {
          const found = await Promise.all(those(outcome).map((one) => orderOf(one)))
          return found.every((order) => order && is(order))
        },
        outcome,
        120_000 + ORDERS * 2_000,
      )
    await all('cancelled', ({ tranchesFilled }) => tranchesFilled === 1)
    for (const one of those('cancelled')) await rig.cancel(toApiOrderId(one.orderId), one.owner)
    await all('tranche cancelled', ({ tranchesFilled }) => tranchesFilled === 1)
    for (const one of those('tranche cancelled')) {
      const sender = base.senders[owners.indexOf(one.owner)]!
      await onBridge(sender, 'cancelIntent', (await intentsOf(one))[0]!)
    }
    for (const outcome of OUTCOMES.slice(0, -2))
      await all(outcome, ({ tranchesFilled }) => tranchesFilled === 1)
    await bringToTheirEnds(those('tranche delivered'), those('tranche undelivered'))
    // An hour and some has passed by then.
    await rig.pass(1_000)
    for (const outcome of ['filled', 'end_time'] as const)
      await all(outcome, ({ tranchesFilled }) => tranchesFilled === 2)
    await rig.pass(HOUR)
    for (const one of those('tranche expired'))
      await onBridge(base.senders[0]!, 'refund', (await intentsOf(one))[0]!)
    for (const outcome of OUTCOMES.slice(0, -2))
      await all(outcome, ({ refundTxHash }) => refundTxHash !== null)
    for (const outcome of OUTCOMES)
      await all(
        outcome,
        ({ amountSpent, status }) => status === 'active' || amountSpent === String(SPENT[outcome]),
      )

    const metrics = await (await fetch(`${rig.url}/metrics`)).text()
    const failed = those('tranche undelivered').length
    expect(metrics).toContain(`cairn_orders_tranches_failed{chain="base_sepolia"} ${failed}\n`)

    // From here on, no service, enclave, relayer, solver or index runs.
    await rig.stopServices()
    const close = (by: (typeof base.senders)[number], orderId: Hex) =>
      by.execute({
        to: rig.vault,
        data: encodeFunctionData({
          abi: orderVaultAbi,
          functionName: 'closeOrder',
          args: [orderId],
        }),
      })
    for (const { owner, orderId } of those('left by its owner')) {
      const stranger = base.senders[(owners.indexOf(owner) + 1) % owners.length]!
      await expect(close(stranger, orderId)).rejects.toThrow()
      await close(base.senders[owners.indexOf(owner)]!, orderId)
    }
    await rig.pass(2 * DAY)
    for (const { orderId } of those('closed by a stranger')) await close(base.rogue, orderId)

    const spent = owners.map((_, position) =>
      orders.reduce(
        (sum, { owner }, at) => (owner === owners[position] ? sum + SPENT[outcomeOf(at)] : sum),
        0n,
      ),
    )
    const after = await balances()
    expect(after.map((balance, at) => before[at]! - balance)).toEqual(spent)
    expect(await rig.balanceOf(rig.vault)).toBe(0n)

    // A service that has lost its database tells of each the same.
    const databaseUrl = await rig.postgres.createDatabase('afterwards')
    Object.assign(rig, await rig.start({ databaseUrl }))
    await rig.until(async () => (await fetch(`${rig.url}/ready`)).ok, 'the chain is read')
    // What was closed last is read once it is deep enough.
    const isClosed = async (one: (typeof orders)[number]) => (await orderOf(one)).amountLeft === '0'
    await rig.until(
      async () => (await Promise.all(orders.map(isClosed))).every(Boolean),
      'every order is closed',
    )
    for (const [at, one] of orders.entries()) {
      const order = await orderOf(one)
      const { amountSpent, amountRefunded, totalAmountIn } = order
      expect([outcomeOf(at), amountSpent]).toEqual([outcomeOf(at), String(SPENT[outcomeOf(at)])])
      expect(BigInt(amountSpent) + BigInt(amountRefunded)).toBe(BigInt(totalAmountIn))
    }
  },
  400_000 + ORDERS * 10_000,
)

/** A solver wins all these tranches, delivers the first ones and lets the others be. */
async function bringToTheirEnds(
  delivered: readonly SeededOrder[],
  undelivered: readonly SeededOrder[],
): Promise<void> {
  const { play, base } = rig.pair
  await stakeAccount(
    base.client,
    base.solvers[0]!,
    deriveDevnetAccounts().solvers[0]!,
    base.contracts,
  )
  const intents = (some: readonly SeededOrder[]) =>
    Promise.all(some.map(async (one) => (await intentsOf(one))[0]!))
  const [good, bad] = [await intents(delivered), await intents(undelivered)]
  for (const id of [...good, ...bad]) await play.anchor(id)
  await rig.pass(FIRM)
  for (const id of [...good, ...bad]) await play.bid(id)
  await rig.pass(HOUR / 2)
  for (const id of [...good, ...bad]) await play.deposit(id)
  for (const id of good) await play.settle(id, await play.deliver(id))
  await play.letDeliveryPass()
  for (const id of bad) await onBridge(base.rogue, 'refund', id)
}

async function orderOf({ orderId }: SeededOrder) {
  return (await get(`${rig.url}/orders/${toApiOrderId(orderId)}`)).body.order
}

/** By the chain's own word: in strict mode the service tells the owner alone. */
async function intentsOf({ orderId }: SeededOrder): Promise<bigint[]> {
  const logs = await rig.base.client.getContractEvents({
    address: rig.vault,
    abi: orderVaultAbi,
    eventName: 'TrancheFired',
    fromBlock: 0n,
    args: { orderId },
  })
  return logs.map(({ args }) => args.intentId!)
}

function onBridge(
  by: OrdersRig['base']['senders'][number],
  functionName: 'cancelIntent' | 'refund',
  intentId: bigint,
) {
  const data = encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args: [intentId] })
  return by.execute({ to: rig.base.contracts.bridge, data })
}
