import { readFileSync, writeFileSync } from 'node:fs'
import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { worth } from '../../../devnet/tokens.ts'
import type { PolicyFile } from '../../../services/solver/policy/policySchema.ts'
import type { RunningSolver } from '../../../services/solver/startSolver.ts'
import { readIntentOnChain } from '../../integration/solver/fakeRelayer.ts'
import { type SolverRig, startSolverRig } from '../../integration/solver/solverRig.ts'
import { encodeMint } from '../../rig/encodeMint.ts'
import { until } from '../../rig/until.ts'

/** Seconds: the solver has at least fifty blocks for its bid. */
const AUCTION = 600
const CLASS = 64
/** Wei. */
const GWEI = 10n ** 9n
/** What the nodes suggest. */
const TIP = GWEI

let rig: SolverRig

beforeAll(async () => {
  rig = await startSolverRig({ gas: { reserve: '0.001' } })
  // Later, no block with its stakes or its key changes a price.
  const solver = await rig.start()
  const client = await rig.postgres.connect()
  const isSettled = async () => {
    const open = await client.query(
      `select from app.transaction where state not in ('confirmed', 'failed', 'superseded')`,
    )
    return open.rowCount === 0 && (await rig.isReady())
  }
  await rig.until(isSettled, 'it has staked')
  await solver.stop()
})
afterAll(() => rig?.stop())

async function offer(): Promise<bigint> {
  const id = await rig.pair.play.create('0x', AUCTION)
  await rig.pair.play.anchor(id, { recipientClass: CLASS })
  rig.relayer.announce(id)
  return id
}

const request = (method: string, ...params: unknown[]) =>
  rig.pair.horizen.client.request({ method, params } as never)
const phaseOf = async (id: bigint) => (await readIntentOnChain(rig.pair, id)).phase
const isLed = async (id: bigint) => !/^0x0+$/.test((await readIntentOnChain(rig.pair, id)).solver)

it('recipients that spend their tokens just before a delivery don’t make it fail', async () => {
  const { base, horizen, play } = rig.pair
  const { ZEN } = horizen.contracts.tokens
  const people = Array.from(
    { length: CLASS },
    (_, position): Address => `0x${(position + 1).toString(16).padStart(40, 'c')}`,
  )
  for (const to of people) {
    await horizen.senders[0]!.execute({ to: ZEN, data: encodeMint(to, worth('ZEN', 1)) })
    await request('anvil_impersonateAccount', to)
    await request('anvil_setBalance', to, numberToHex(10n ** 18n))
  }
  rig.relayer.pays(people)
  const solver = await rig.start()
  try {
    await rig.until(rig.isReady, 'it has staked')
    const id = await offer()
    await play.letRecipientsStand(id)
    await rig.until(() => isLed(id), 'it has bid')
    const { endTime } = await readIntentOnChain(rig.pair, id)
    while ((await base.client.getBlock()).timestamp < endTime) await play.endAuction()
    await rig.until(async () => (await phaseOf(id)) === 2, 'it has deposited')
    // From here on blocks come only as the test wants them.
    await request('evm_setAutomine', false)
    const isWaiting = async () =>
      Number(((await request('txpool_status')) as { pending: Hex }).pending) > 0
    await until(isWaiting, 'its delivery waits for a block', {
      meanwhile: () => base.client.mine({ blocks: 1 }),
    })
    // The recipients see it, and overtake it.
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transfer',
      args: [deriveDevnetAccounts().guests[0]!.address, worth('ZEN', 1)],
    })
    const price = numberToHex(100n * 10n ** 9n)
    const fees = { maxFeePerGas: price, maxPriorityFeePerGas: price }
    for (const from of people)
      await request('eth_sendTransaction', { from, to: ZEN, data, gas: '0x186a0', ...fees })
    await horizen.client.mine({ blocks: 1 })
    const { hash, transactions } = await horizen.client.getBlock()
    expect(transactions).toHaveLength(CLASS + 1)
    const last = await horizen.client.getTransaction({ blockHash: hash, index: CLASS })
    expect(last.to?.toLowerCase()).toBe(horizen.contracts.bridge.toLowerCase())
    const { status } = await horizen.client.getTransactionReceipt({ hash: last.hash })
    expect(status).toBe('success')
  } finally {
    await request('evm_setAutomine', true)
    await solver.stop()
  }
})

/** On the destination. No block follows there, so that the fee stays. */
async function setBaseFee(wei: bigint): Promise<void> {
  await request('anvil_setNextBlockBaseFeePerGas', numberToHex(wei))
  await rig.pair.horizen.client.mine({ blocks: 1 })
}

it.each([
  ['the base fee', 2n * GWEI],
  ['the tip', 7n],
])('many intents at once don’t win a solver that has coins to deliver only some of them, where most of the price is %s', async (_, baseFee) => {
  const { base, play } = rig.pair
  const [account] = deriveDevnetAccounts().solvers
  await setBaseFee(baseFee)
  // More than the delivery of one intent may need at twice the base fee, and less than two.
  const native = (2n * baseFee + TIP) * 7_000_000n
  await request('anvil_setBalance', account!.address, numberToHex(native))
  const offered = [await offer(), await offer(), await offer()]
  const solver = await rig.start()
  try {
    await play.letRecipientsStand(offered.at(-1)!)
    const led = async () => (await Promise.all(offered.map(isLed))).filter(Boolean).length
    const meanwhile = () => base.client.mine({ blocks: 1 })
    await until(async () => (await led()) > 0, 'it has bid', { meanwhile })
    for (let block = 0; block < 5; block++) {
      await meanwhile()
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    expect(await led()).toBe(1)
  } finally {
    await solver.stop()
  }
})

const DEAR = 4n * GWEI

/** A solver that knows what gas costs: 64 transfers take 20 dollars while it is dear. */
async function withPricedGas(
  policy: Partial<PolicyFile>,
  test: (solver: RunningSolver) => Promise<void>,
): Promise<void> {
  const { policyFile } = rig.order
  const written = readFileSync(policyFile, 'utf8')
  const gas = { coins: { base_sepolia: '2000', horizen_testnet: '2000' } }
  writeFileSync(policyFile, JSON.stringify({ ...JSON.parse(written), gas, ...policy }))
  const [account] = deriveDevnetAccounts().solvers
  await request('anvil_setBalance', account!.address, numberToHex(10n ** 18n))
  const solver = await rig.start()
  try {
    await test(solver)
  } finally {
    await solver.stop()
    writeFileSync(policyFile, written)
  }
}

/** Lets it act, if it wants to. */
async function waitForRounds({ status }: RunningSolver): Promise<void> {
  const rounds = new Set<number | undefined>()
  const hasHadRounds = async () =>
    rounds.add((await status()).stats.lastRoundAt?.getTime()).size > 15
  await until(hasHadRounds, 'it has had the time', { meanwhile: mineSource })
}

const mineSource = () => rig.pair.base.client.mine({ blocks: 1 })

it('a sender doesn’t have many people paid at the solver’s cost when gas is dear', async () => {
  // The offer leaves the solver 8 dollars.
  await setBaseFee(DEAR)
  await withPricedGas({}, async (solver) => {
    const id = await offer()
    await rig.pair.play.letRecipientsStand(id)
    await waitForRounds(solver)
    expect(await isLed(id)).toBe(false)
    await setBaseFee(7n)
    await until(() => isLed(id), 'it bids once gas is cheap', { meanwhile: mineSource })
  })
})

it('nor when gas becomes dear after the solver’s bid: it waits, since the bond is worth less', async () => {
  const { base, play } = rig.pair
  await setBaseFee(7n)
  await withPricedGas({ stopLoss: true }, async (solver) => {
    const id = await offer()
    await play.letRecipientsStand(id)
    await until(() => isLed(id), 'it has bid', { meanwhile: mineSource })
    await setBaseFee(DEAR)
    const { endTime } = await readIntentOnChain(rig.pair, id)
    while ((await base.client.getBlock()).timestamp < endTime) await play.endAuction()
    await until(async () => (await phaseOf(id)) === 2, 'it has deposited', {
      meanwhile: mineSource,
    })
    const { number } = await rig.pair.horizen.client.getBlock()
    await waitForRounds(solver)
    // A delivery would have made a block.
    expect((await rig.pair.horizen.client.getBlock()).number).toBe(number)
    await setBaseFee(7n)
    await rig.until(async () => (await phaseOf(id)) === 3, 'it delivers once gas is cheap')
  })
})
