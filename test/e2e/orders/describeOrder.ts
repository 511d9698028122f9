import { createPublicClient, erc20Abi, type Hex, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { DevnetFile } from '../../../devnet/devnetFile.ts'
import { OPENING } from '../../../devnet/traffic/scenario.ts'
import { runOrder } from '../../../examples/order/runOrder.ts'
import type { ScheduledOrder } from '../../../sdk/index.ts'
import { until } from '../../rig/until.ts'
import { AT_A_DEVNET } from '../start/devnetProcess.ts'

/** The example under way, and who is paid. */
export type Ordering = {
  file: DevnetFile
  recipient: Hex
  told: string[]
  /** Milliseconds that it took. */
  took: () => number
  /** Whoever waits for it hears of a failure. */
  ended: Promise<ScheduledOrder>
}

/** Longest that the example may take: it promises a minute, on a machine that does nothing else. */
const A_MINUTE_AND_SOME = 90_000

/** Begins the example of an order, which waits more than it computes, on a devnet with traffic. */
export function beginOrder(file: DevnetFile): Ordering {
  const told: string[] = []
  const owner = privateKeyToAccount(file.accounts.guests[3] as Hex)
  const recipient = privateKeyToAccount(generatePrivateKey()).address
  let took = Number.NaN
  const run = async () => {
    await openingIsOver(file)
    const begun = performance.now()
    const order = await runOrder(file, owner, recipient, (line) => void told.push(line))
    took = performance.now() - begun
    return order
  }
  const ended = run()
  ended.catch(() => {})
  return { file, recipient, told, ended, took: () => took }
}

/** The traffic's first intents are numbered by the order in which they are mined: none of ours among them. */
function openingIsOver({ api }: DevnetFile): Promise<void> {
  return until(
    async () => {
      const answer = await fetch(`${api}/intents?limit=100`)
      if (!answer.ok) return false
      return ((await answer.json()) as { intents: unknown[] }).intents.length >= 2 * OPENING.length
    },
    'the traffic’s opening is over',
    AT_A_DEVNET,
  )
}

/** What is asked of each order. */
type Ended = { stopReason: string; tranchesRefunded: number; tranchesCompleted: number }

/** Tests of the example, and of the traffic's orders. @param begun called once the tests have begun */
export function describeOrder(begun: () => Ordering): void {
  describe('a scheduled order', () => {
    let order: ScheduledOrder
    beforeAll(async () => {
      order = await begun().ended
    })

    test('comes to its last tranche in about a minute', () => {
      const { told, took } = begun()
      expect(told.filter((line) => line.startsWith('tranche '))).toHaveLength(3)
      expect(order).toMatchObject({ status: 'completed', stopReason: 'filled', amountLeft: 0n })
      expect(order.amountSpent + order.amountRefunded).toBe(300_000_005n)
      expect(took()).toBeLessThan(A_MINUTE_AND_SOME)
    })

    test('pays its recipient by each tranche', async () => {
      const { file, recipient } = begun()
      const { rpc, tokens } = file.chains.find(({ name }) => name === 'base_sepolia')!
      const client = createPublicClient({ transport: http(rpc) })
      const read = () =>
        client.readContract({
          ...{ address: tokens.USDC as Hex, abi: erc20Abi, functionName: 'balanceOf' },
          args: [recipient],
        })
      const isPaid = async () => (await read()) >= 3n * 92_000_000n
      await until(isPaid, 'three tranches are paid', AT_A_DEVNET)
    })

    test('is told alike by the service and by the index', async () => {
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

    test('is one of several: the traffic’s come to every end there is', async () => {
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
      await until(ends, 'orders with every end', AT_A_DEVNET)
    })
  })
}
