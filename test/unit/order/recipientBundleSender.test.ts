import { expect, onTestFinished, test, vi } from 'vitest'
import type { OrderState } from '../../../core/order/orderState.ts'
import type { OrdersContext, ServedChain } from '../../../services/orders/ordersContext.ts'
import { createRecipientBundleSender } from '../../../services/orders/recipientBundleSender.ts'

const NOW = 1_800_000_000
const CHAIN = { chainId: 84_532 } as ServedChain

/** Orders with one open tranche each, all fired just now. */
function listOrders(count: number): OrderState[] {
  return Array.from({ length: count }, (_, at) => ({
    encrypted: '0x',
    facts: { lastFiredAt: NOW },
    tranches: [{ intentId: BigInt(at), outcome: 'open', firedAt: NOW }],
  })) as unknown as OrderState[]
}

/** A sender to a relayer that answers only when the test lets it, or is away. */
function startSender(isAway = false) {
  const asked: bigint[] = []
  const answers: (() => void)[] = []
  const stopping = new AbortController()
  const sealed: [number, bigint][] = []
  const sealTrancheBundle = async ({ n, intentId }: { n: number; intentId: bigint }) => {
    sealed.push([n, intentId])
    return { encryptedData: '0x' }
  }
  const enclave = { sealTrancheBundle }
  const context = { enclaves: [enclave], events: { relayerTrouble: () => {} } }
  const relayer = {
    storeRecipients: ({ intentId }: { intentId: bigint }) => {
      asked.push(intentId)
      if (isAway) return Promise.reject(new Error('away'))
      return new Promise<void>((resolve) => answers.push(resolve))
    },
  }
  const bundles = createRecipientBundleSender(
    context as unknown as OrdersContext,
    relayer,
    stopping.signal,
  )
  return { bundles, asked, answers, sealed, stopping }
}

test('a relayer that hangs delays no tranche by another, and has a bounded number of requests', async () => {
  const { bundles, asked, answers } = startSender()
  const sent = bundles.send(CHAIN, listOrders(20), NOW)
  await expect.poll(() => asked.length).toBe(16)
  answers[0]!()
  await expect.poll(() => asked.length).toBe(17)
  while (bundles.accepted(84_532) < 20) {
    for (const answer of answers) answer()
    await new Promise(setImmediate)
  }
  await sent
  expect(asked).toHaveLength(20)
  // What was accepted isn't sent again.
  vi.useFakeTimers({ toFake: ['performance'], now: performance.now() + 60_000 })
  onTestFinished(() => void vi.useRealTimers())
  await bundles.send(CHAIN, listOrders(20), NOW)
  expect(asked).toHaveLength(20)
})

test('a relayer that failed is asked again within seconds, even if the clock is set back', async () => {
  const { bundles, asked } = startSender(true)
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  await bundles.send(CHAIN, listOrders(1), NOW)
  vi.setSystemTime(Date.now() - 3_600_000)
  await bundles.send(CHAIN, listOrders(1), NOW)
  expect(asked).toHaveLength(1)
  vi.advanceTimersByTime(5_000)
  await bundles.send(CHAIN, listOrders(1), NOW)
  expect(asked).toHaveLength(2)
})

test('the recipients of each tranche that is still open and was fired lately are sent, with its number', async () => {
  const { bundles, answers, sealed } = startSender()
  const tranches = [
    { intentId: 7n, outcome: 'settled', firedAt: NOW },
    { intentId: 8n, outcome: 'open', firedAt: NOW },
    { intentId: 9n, outcome: 'open', firedAt: NOW - 601 },
    { intentId: 10n, outcome: 'open', firedAt: NOW - 600 },
  ]
  const order = { encrypted: '0x', facts: { lastFiredAt: NOW }, tranches }
  const sent = bundles.send(CHAIN, [order as unknown as OrderState], NOW)
  await expect.poll(() => answers.length).toBe(2)
  for (const answer of answers) answer()
  await sent
  expect(sealed).toEqual([
    [1, 8n],
    [3, 10n],
  ])
})

test('stopping waits for no relayer, and sends nothing more', async () => {
  const { bundles, asked, answers, stopping } = startSender()
  const sent = bundles.send(CHAIN, listOrders(20), NOW)
  await expect.poll(() => asked.length).toBe(16)
  stopping.abort()
  await sent
  for (const answer of answers) answer()
  await new Promise(setImmediate)
  await bundles.send(CHAIN, listOrders(20), NOW)
  expect(asked).toHaveLength(16)
})
