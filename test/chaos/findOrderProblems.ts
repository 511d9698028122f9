import { setTimeout as pause } from 'node:timers/promises'
import { erc20Abi } from 'viem'
import { toApiOrderId } from '../../core/order/apiOrderId.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { orderVaultAbi } from '../../src/event/abi/orderVault.ts'
import type { Played } from '../e2e/money/expectedBalances.ts'
import type { MoneyTestbed } from '../e2e/money/moneyTestbed.ts'
import { USUAL } from '../e2e/money/plannedIntent.ts'
import type { Kill } from './killProcess.ts'
import { EXPECTED, PER_PERIOD, type PlacedOrder, TOTAL } from './orderTraffic.ts'

/** Milliseconds the service may take to reach the chain's head. */
const TIMEOUT_MS = 120_000

const REWARD = PER_PERIOD / 20n
const AMOUNT_A = PER_PERIOD - REWARD

/** A tranche as recorded on chain. */
type PlacedTranche = { order: PlacedOrder; n: bigint; intentId: bigint }

type At = Pick<MoneyTestbed, 'chains' | 'devnet'>

/** Lists every tranche the vault fired. */
export async function listTranches(
  { chains: [{ client, contracts }] }: At,
  orders: readonly PlacedOrder[],
): Promise<PlacedTranche[]> {
  const logs = await client.getContractEvents({
    address: contracts.vault,
    abi: orderVaultAbi,
    eventName: 'TrancheFired',
    fromBlock: 0n,
    strict: true,
  })
  return logs.flatMap(({ args: { orderId, n, intentId } }) => {
    const order = orders.find(({ id }) => id === orderId)
    return order ? [{ order, n, intentId }] : []
  })
}

/** Presents a tranche's intent as one that was sent, so that the same checks apply. */
export function toPlayedIntent({ chains }: At, { order, n, intentId }: PlacedTranche): Played {
  const [source, destination] = chains
  const { owner, id, payee } = order
  return {
    planned: { ...USUAL, name: `tranche ${n} of ${toApiOrderId(id)}` },
    id: intentId,
    sourceChainId: source.chainId,
    destChainId: destination.chainId,
    tranche: {
      owner,
      terms: {
        amountA: AMOUNT_A,
        expectedAmountB: EXPECTED,
        reward: REWARD,
        bundle: { recipients: [payee], amounts: [EXPECTED] },
        bond: (PER_PERIOD * 500n) / 10_000n,
        fee: (AMOUNT_A * 250n) / 10_000n,
      },
    },
  }
}

/**
 * Checks orders after all their tranches have ended: each was funded once and closed once, each tranche fired once
 * and in order, the vault is empty, and the service reports the same. `Judgement` covers the owners' balances.
 */
export async function findOrderProblems(at: At, orders: readonly PlacedOrder[]): Promise<string[]> {
  const tranches = await listTranches(at, orders)
  const found = [...(await doneOtherThanOnce(at, orders)), ...(await leftInVault(at))]
  const settled = await settledOn(at)
  for (const order of orders) {
    const ours = tranches.filter((one) => one.order === order)
    const inTurn = ours.every(({ n }, position) => n === BigInt(position))
    if (!inTurn) found.push(`tranches of ${order.id} fired in the order ${ours.map(({ n }) => n)}`)
    if (!order.hasTranches && ours.length > 0)
      found.push(`tranches fired for the cancelled order ${order.id}`)
    const spent = ours.filter(({ intentId }) => settled.has(intentId)).length
    found.push(...(await saidOtherwise(at, order, ours.length, PER_PERIOD * BigInt(spent))))
  }
  return found
}

/** Counts tranches that came due while the service was down. */
export async function countDueDuringDowntime(
  { chains: [{ client, contracts }] }: At,
  tranches: readonly PlacedTranche[],
  kills: readonly Kill[],
): Promise<number> {
  const away = kills.filter(({ victim }) => victim === 'orders')
  const dues = await Promise.all(
    tranches.map(async ({ order, n }) => {
      const { firstAt, period } = await client.readContract({
        address: contracts.vault,
        abi: orderVaultAbi,
        functionName: 'getOrder',
        args: [order.id],
      })
      return 1_000 * Number(firstAt + n * period)
    }),
  )
  const isAway = (due: number) =>
    away.some(({ at, resumedMs }) => due >= at && due <= at + resumedMs)
  return dues.filter(isAway).length
}

async function doneOtherThanOnce(
  { chains: [{ client, contracts }] }: At,
  orders: readonly PlacedOrder[],
): Promise<string[]> {
  const found: string[] = []
  for (const eventName of ['OrderFunded', 'OrderClosed'] as const) {
    const logs = await client.getContractEvents({
      address: contracts.vault,
      abi: orderVaultAbi,
      eventName,
      fromBlock: 0n,
      strict: true,
    })
    const times = Map.groupBy(logs, ({ args }) => args.orderId)
    for (const { id } of orders) {
      const count = times.get(id)?.length ?? 0
      if (count !== 1) found.push(`${count} times: ${eventName} of ${id}`)
    }
    if (times.size !== orders.length) {
      found.push(`${times.size} orders emitted ${eventName}, ${orders.length} placed`)
    }
  }
  return found
}

async function leftInVault({ chains: [{ client, contracts }] }: At): Promise<string[]> {
  const { tokens, vault } = contracts
  const left = await client.readContract({
    address: tokens.USDC,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [vault],
  })
  return left === 0n ? [] : [`${left} units of USDC remain in the vault`]
}

async function settledOn({ chains: [{ client, contracts }] }: At): Promise<Set<bigint>> {
  const logs = await client.getContractEvents({
    address: contracts.bridge,
    abi: bridgeIntentV2Abi,
    eventName: 'IntentSettled',
    fromBlock: 0n,
    strict: true,
  })
  return new Set(logs.map(({ args }) => args.intentId))
}

/** Compares the amounts the service reports with the chain's. */
async function saidOtherwise(
  { devnet }: At,
  { id }: PlacedOrder,
  tranchesFilled: number,
  spent: bigint,
): Promise<string[]> {
  const amounts = { amountSpent: String(spent), amountRefunded: String(TOTAL - spent) }
  const expected = JSON.stringify({ tranchesFilled, ...amounts, amountLeft: '0' })
  const deadline = performance.now() + TIMEOUT_MS
  let said = ''
  while (said !== expected && performance.now() < deadline) {
    if (said !== '') await pause(500)
    said = await saidOf(`${devnet.file.orders}/orders/${toApiOrderId(id)}`)
  }
  return said === expected
    ? []
    : [`the service reports ${said} for order ${id}; expected ${expected}`]
}

async function saidOf(url: string): Promise<string> {
  const answer = await fetch(url).catch(() => null)
  if (!answer?.ok) return `answered ${answer?.status}`
  const { order } = (await answer.json()) as { order: Record<string, unknown> }
  const { tranchesFilled, amountSpent, amountRefunded, amountLeft } = order
  return JSON.stringify({ tranchesFilled, amountSpent, amountRefunded, amountLeft })
}
