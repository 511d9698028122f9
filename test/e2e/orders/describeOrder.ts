import { inspect } from 'node:util'
import type { Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { DevnetFile } from '../../../devnet/devnetFile.ts'
import { OPENING } from '../../../devnet/traffic/scenario.ts'
import { createClient, setUpExample } from '../../../examples/exampleSetup.ts'
import { runOrder } from '../../../examples/order/runOrder.ts'
import type {
  RecipientClient,
  RelayerClient,
  ScheduledOrder,
  StealthEntry,
} from '../../../sdk/index.ts'
import { DEVNET_POLLING } from '../../rig/devnetProcess.ts'
import { until } from '../../rig/until.ts'

/** The running example and its recipient. */
export type Ordering = {
  file: DevnetFile
  /** Registered, so each tranche pays it at a fresh Safe. */
  recipient: Hex
  account: PrivateKeyAccount
  wallet: RecipientClient
  relayer: RelayerClient
  reported: string[]
  /** Duration in milliseconds. */
  took: () => number
  /** Rejects if the example fails. */
  ended: Promise<ScheduledOrder>
  /** What the recipient received, once each tranche is settled: later tests withdraw it. Rejects if one isn't paid. */
  paid: Promise<StealthEntry[]>
}

/** Longest duration allowed: the example promises a minute, and the second tranche is due after one, on an idle machine. */
const A_MINUTE_AND_SOME = 120_000

/** Minimum each tranche of the example's order delivers, in base units. */
export const PAID = 92_000_000n

/** Starts the order example, which mostly waits, on a devnet with traffic. */
export function beginOrder(file: DevnetFile): Ordering {
  const reported: string[] = []
  const setup = setUpExample(file, 3)
  const account = privateKeyToAccount(generatePrivateKey())
  const client = createClient(setup, account)
  const { relayer } = client
  const wallet = client.recipient()
  const recipient = account.address
  let took = Number.NaN
  const run = async () => {
    await openingIsOver(file)
    await wallet.register()
    const begun = performance.now()
    const order = await runOrder(
      setup,
      file.orders as string,
      recipient,
      (line) => void reported.push(line),
    )
    took = performance.now() - begun
    return order
  }
  const ended = run()
  ended.catch(() => {})
  const paid = ended.then(({ intentIds }) => paidEntries(intentIds, wallet, relayer))
  paid.catch(() => {})
  return { file, recipient, account, wallet, relayer, reported, ended, paid, took: () => took }
}

/** The traffic's first intents are numbered in mining order: none of ours may be among them. */
function openingIsOver({ api }: DevnetFile): Promise<void> {
  return until(
    async () => {
      const answer = await fetch(`${api}/intents?limit=100`)
      if (!answer.ok) return false
      return ((await answer.json()) as { intents: unknown[] }).intents.length >= 2 * OPENING.length
    },
    'the traffic’s opening is over',
    DEVNET_POLLING,
  )
}

/** The fields requested for each order. */
type Ended = { stopReason: string; tranchesRefunded: number; tranchesCompleted: number }

/** @throws with any tranche that ended otherwise */
async function paidEntries(
  intentIds: readonly bigint[],
  wallet: RecipientClient,
  relayer: RelayerClient,
): Promise<StealthEntry[]> {
  let entries: StealthEntry[] = []
  await until(
    async () => {
      const intents = await Promise.all(intentIds.map((id) => relayer.intentDetails(id)))
      const unpaid = intents.find(({ status, isTerminal }) => isTerminal && status !== 'completed')
      if (unpaid) throw new Error(`a tranche ended otherwise: ${inspect(unpaid)}`)
      entries = await wallet.list()
      const areSettled = intents.every(({ isTerminal }) => isTerminal)
      return areSettled && entries.length === intents.length && entries.every(isPaid)
    },
    'each tranche is paid',
    DEVNET_POLLING,
  )
  return entries
}

function isPaid({ balances }: StealthEntry): boolean {
  return balances.some(({ balance }) => balance >= PAID)
}

/** Tests of the example and of the traffic's orders. @param begun called once the tests have started */
export function describeOrder(begun: () => Ordering): void {
  describe('a scheduled order', () => {
    let order: ScheduledOrder
    beforeAll(async () => {
      order = await begun().ended
    })

    test('reaches its last tranche in about a minute', () => {
      const { reported, took } = begun()
      expect(reported.filter((line) => line.startsWith('tranche '))).toHaveLength(2)
      expect(order).toMatchObject({ status: 'completed', stopReason: 'filled', amountLeft: 0n })
      expect(order.amountSpent + order.amountRefunded).toBe(200_000_005n)
      expect(took()).toBeLessThan(A_MINUTE_AND_SOME)
    })

    test('pays its registered recipient at a fresh Safe for each tranche', async () => {
      const entries = await begun().paid
      expect(entries).toHaveLength(2)
      expect(new Set(entries.map(({ safeAddress }) => safeAddress)).size).toBe(2)
      expect(new Set(entries.map(({ address }) => address)).size).toBe(2)
      expect(entries.map(({ intentId }) => intentId).sort()).toEqual(order.intentIds.toSorted())
      const intents = await Promise.all(
        order.intentIds.map((id) => begun().relayer.intentDetails(id)),
      )
      expect(intents.map(({ feeBps }) => feeBps)).toEqual([700, 700])
    })

    test('gives the relayer its recipients as every sender does', async () => {
      const { file } = begun()
      const line = /^cairn_orders_bundles_accepted\{chain="horizen_testnet"\} (\d+)$/m
      const metrics = await (await fetch(`${file.orders}/metrics`)).text()
      expect(Number(line.exec(metrics)?.[1])).toBeGreaterThanOrEqual(2)
    })

    test('looks the same in the service and in the index', async () => {
      const { file } = begun()
      const answer = await fetch(`${file.api}/order-details/${order.id}`)
      const { order: indexed } = (await answer.json()) as { order: Record<string, unknown> }
      for (const name of [
        'vaultOrderId',
        'user',
        'status',
        'stopReason',
        'tranchesFilled',
      ] as const)
        expect(indexed[name]).toBe(order[name])
      for (const name of ['totalAmountIn', 'amountLeft'] as const)
        expect(indexed[name]).toBe(String(order[name]))
      const tranches = indexed.tranches as { intentId: string }[]
      expect(tranches.map(({ intentId }) => BigInt(intentId))).toEqual(order.intentIds)
    })

    test('is one of several: the simulated orders reach every possible end', async () => {
      const { file } = begun()
      const query = `{ orders(first: 100) { nodes { stopReason tranchesRefunded tranchesCompleted } } }`
      const ends = async () => {
        const response = await fetch(file.graphql, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query }),
        })
        const { data } = (await response.json()) as { data: { orders: { nodes: Ended[] } } }
        const { nodes } = data.orders
        const reasons = new Set(nodes.map(({ stopReason }) => stopReason))
        const some = (field: 'tranchesRefunded' | 'tranchesCompleted') =>
          nodes.some((node) => node[field] > 0)
        const all = ['filled', 'end_time', 'user_cancel'].every((reason) => reasons.has(reason))
        return all && some('tranchesRefunded') && some('tranchesCompleted')
      }
      await until(ends, 'orders with every end', DEVNET_POLLING)
    })
  })
}
