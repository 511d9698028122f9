import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FAST_START_OPTIONS } from '../../rig/fastStartOptions.ts'
import { get, type OrdersRig, PER_PERIOD, post, startOrdersRig } from './ordersRig.ts'
import { countVaultEvents, EVENTS, findEventTopic } from './vaultEvents.ts'

const PROGRAM = fileURLToPath(new URL('./orderServiceProcess.ts', import.meta.url))
const PHASES = ['saved', 'sent', 'mined', 'confirmed', 'chosen', 'signed'] as const
const KINDS = ['fundOrder', 'fireTranche', 'closeOrder'] as const

/** 18 are every moment between two steps; three, here, the one in which most is at stake. */
const KILLS = Number(process.env.ORDER_KILLS ?? KINDS.length)
const MOMENTS = Array.from({ length: KILLS }, (_, at) => ({
  kind: KINDS[at % KINDS.length]!,
  phase: PHASES[Math.floor(at / KINDS.length) % PHASES.length]!,
}))

let rig: OrdersRig
let directory: string
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-orders-'))
  rig = await startOrdersRig({ directory, start: false })
}, 300_000)
afterAll(async () => {
  await rig?.stop()
  rmSync(directory, { recursive: true, force: true })
})

/** The service in a process of its own, to die at a moment or not at all. */
async function begin(moment?: { kind: string; phase: string }) {
  const { postgres, configs } = rig
  const where = moment === undefined ? [] : [moment.phase, moment.kind]
  const args = [
    ...FAST_START_OPTIONS,
    PROGRAM,
    postgres.databaseUrl,
    JSON.stringify(configs),
    directory,
  ]
  const child = spawn(process.execPath, [...args, ...where], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const died = once(child, 'exit')
  const url = await Promise.race([once(child, 'message'), died]).then(([first]) => first)
  return {
    url: typeof url === 'string' ? url : null,
    died,
    isDead: () => child.exitCode !== null || child.signalCode !== null,
    async kill() {
      child.kill('SIGKILL')
      await died
    },
  }
}

type Body = { encrypted: Hex; message: string; signature: Hex }

/** A message that is still good when all the others have been killed. */
const lasting = (digest: string) => `TWAP_ORDER:${digest}:84532:4000000000`

/** As an owner does: sends the same again until it is answered. */
async function placed(url: string, body: Body): Promise<boolean> {
  const answer = await post(`${url}/orders`, body).catch(() => null)
  return answer?.status === 200
}

test(
  `after ${KILLS} kills between any two steps, each funding, tranche and close happened once and amounts are exact`,
  async () => {
    const owner = rig.owners[0]!
    const before = await rig.balanceOf(owner.address)
    const first = await begin()
    rig.url = first.url!
    const bodies: (Body & { digest: string })[] = []
    for (const _ of MOMENTS) {
      const change = { period: 5, totalAmountIn: String(PER_PERIOD * 2n + 3n), startTime: 5 }
      bodies.push(await rig.submission(owner, change, lasting))
    }
    await first.kill()
    let waiting: Body[] = []
    for (const [at, moment] of MOMENTS.entries()) {
      const { digest: _, ...body } = bodies[at]!
      waiting.push(body)
      const mortal = await begin(moment)
      await rig.until(
        async () => {
          if (mortal.isDead()) return true
          const { url } = mortal
          const taken = await Promise.all(waiting.map((one) => placed(url ?? '', one)))
          waiting = waiting.filter((__, position) => !taken[position])
          return mortal.isDead()
        },
        `the death at ${moment.kind} ${moment.phase}`,
        180_000,
      )
    }
    // Two at once on one database see the rest through.
    const [one, two] = await Promise.all([begin(), begin()])
    rig.url = one.url!
    const ids = bodies.map(({ digest }): Hex => `0x${digest}`)
    await rig.until(
      async () => {
        const taken = await Promise.all(
          waiting.map((body, at) => placed((at % 2 === 0 ? one : two).url!, body)),
        )
        waiting = waiting.filter((__, position) => !taken[position])
        const states = await Promise.all(ids.map((id) => rig.onChain(id)))
        return states.every(({ closed, fired }) => closed && fired === 2n)
      },
      'the end of all orders',
      120_000 + KILLS * 2_000,
    )
    for (const id of ids) {
      expect(await countVaultEvents(rig, id)).toEqual({
        OrderFunded: 1,
        TrancheFired: 2,
        OrderClosed: 1,
      })
    }
    const spent = BigInt(ids.length) * PER_PERIOD * 2n
    expect(before - (await rig.balanceOf(owner.address))).toBe(spent)
    expect(await rig.balanceOf(rig.vault)).toBe(0n)
    await rig.until(async () => {
      const { body } = await get(`${two.url}/health`)
      return body.chains[0].ledger?.[0]?.difference === '0' && body.chains[0].orders.total === KILLS
    }, 'the books of both')
    await Promise.all([one.kill(), two.kill()])
  },
  180_000 + KILLS * 30_000,
)

test.each(EVENTS)('a %s that a reorg reverts still happens exactly once', async (removed) => {
  const owner = rig.owners[1]!
  const service = await rig.start()
  rig.url = service.url
  const change = { period: 5, totalAmountIn: String(PER_PERIOD + 3n), startTime: 5 }
  const { digest, ...body } = await rig.submission(owner, change)
  const id: Hex = `0x${digest}`
  const before = await rig.balanceOf(owner.address)
  const { client } = rig.base
  let reorged = false
  let isPlaced = false
  await rig.until(async () => {
    if (!isPlaced) isPlaced = await placed(service.url, body)
    if (!reorged && (await countVaultEvents(rig, id))[removed] === 1) {
      reorged = true
      await client.request({
        method: 'anvil_reorg',
        params: [await depthOf(id, removed), []],
      } as never)
    }
    const { closed, fired } = await rig.onChain(id)
    return reorged && closed && fired === 1n
  }, 'the end of the order')
  expect(await countVaultEvents(rig, id)).toEqual({
    OrderFunded: 1,
    TrancheFired: 1,
    OrderClosed: 1,
  })
  expect(before - (await rig.balanceOf(owner.address))).toBe(PER_PERIOD)
  await rig.untilOrder(
    `twap-${digest.slice(0, 32)}`,
    (order) => order?.amountSpent === String(PER_PERIOD) && order?.amountLeft === '0',
    'the order as the chain has it',
  )
  await rig.stopServices()
}, 300_000)

/** Blocks from an order's event to the head, its own included. */
async function depthOf(orderId: Hex, name: (typeof EVENTS)[number]): Promise<number> {
  const { client } = rig.base
  const logs = await client.getLogs({ address: rig.vault, fromBlock: 0n })
  const topic = findEventTopic(name)
  const log = logs.find(({ topics }) => topics[0] === topic && topics[1] === orderId)
  return Number((await client.getBlockNumber()) - log!.blockNumber!) + 1
}
