import { pino } from 'pino'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createVaultChains } from '../../../services/orders/chain/vaultChain.ts'
import { recoverOrders } from '../../../services/orders/recover/recoverOrders.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import { type OrdersRig, PER_PERIOD, startOrdersRig } from './ordersRig.ts'
import { fireFirst, seedOrders } from './seedOrders.ts'
import { createTestEnclave } from './testEnclave.ts'

/** Half of them running. */
const ORDERS = Number(process.env.ORDERS_TO_RECOVER ?? 40)

let rig: OrdersRig
beforeAll(async () => {
  rig = await startOrdersRig({ start: false })
}, 300_000)
afterAll(() => rig?.stop())

test(
  `${ORDERS} orders are recovered from key and chain alone, and no tranche is fired twice`,
  async () => {
    const start = (at: number) =>
      at % 2 === 0 ? {} : { startTime: 4_000_000_000, endTime: 4_100_000_000 }
    const orders = await seedOrders(rig, ORDERS, start)
    const running = orders.filter((_, at) => at % 2 === 0)
    await fireFirst(rig, running)
    await rig.base.client.mine({ blocks: 2 })
    const [chain] = createVaultChains(rig.configs)
    const began = performance.now()
    const certificate = await recoverOrders(chain!, rig.enclave, null)
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    expect(certificate).toMatchObject({
      isComplete: true,
      opened: ORDERS,
      unreadable: [],
      contradicted: [],
      orders: { total: ORDERS, active: ORDERS },
      tranches: { fired: running.length, recognised: running.length },
    })
    const left = PER_PERIOD * (3n * BigInt(ORDERS) - BigInt(running.length))
    expect(certificate.ledger).toMatchObject([{ left, balance: left, difference: 0n }])
    process.stdout.write(`recovered ${ORDERS} orders in ${seconds} s\n`)
    // A service with an empty database goes on where they are.
    const { url } = await rig.start({ log: pino({ level: 'silent' }) })
    rig.url = url
    await rig.pass(70)
    const hasFiredAll = async () => {
      const fired = await tranchesFired()
      return running.every(({ orderId }) => (fired.get(orderId)?.length ?? 0) > 1)
    }
    await rig.until(hasFiredAll, 'each second tranche', 240_000 + ORDERS * 1_000)
    const fired = await tranchesFired()
    expect([...fired.keys()].sort()).toEqual(running.map(({ orderId }) => orderId).sort())
    // A third one may have come due meanwhile.
    for (const numbers of fired.values()) {
      expect(numbers).toEqual(numbers.map((_, at) => BigInt(at)))
    }
    await rig.stopServices()
  },
  600_000 + ORDERS * 1_000,
)

/** Numbers of the tranches that the vault fired, by order: from one question, since there may be many orders. */
async function tranchesFired(): Promise<Map<Hex, bigint[]>> {
  const logs = await rig.base.client.getContractEvents({
    address: rig.vault,
    abi: orderVaultAbi,
    eventName: 'TrancheFired',
    fromBlock: 0n,
    strict: true,
  })
  const fired = new Map<Hex, bigint[]>()
  for (const { args } of logs) fired.set(args.orderId, [...(fired.get(args.orderId) ?? []), args.n])
  return fired
}

test('without the key, the certificate names the orders that can’t be read', async () => {
  const [chain] = createVaultChains(rig.configs)
  const stranger = await createTestEnclave(rig.configs, 'strict', {
    roots: [new Uint8Array(32).fill(9)],
  })
  const certificate = await recoverOrders(chain!, stranger, null)
  expect(certificate).toMatchObject({ isComplete: false, opened: 0 })
  expect(certificate.unreadable[0]).toMatchObject({ code: 'DECRYPTION_FAILED' })
}, 300_000)
