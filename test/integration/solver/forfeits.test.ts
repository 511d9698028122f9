import { readFileSync, writeFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import pino from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { stakeAccount } from '../../../devnet/deploy/stakeAccount.ts'
import { worth } from '../../../devnet/tokens.ts'
import type { RunningSolver } from '../../../services/solver/startSolver.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { calculateBond } from '../../../src/money/calculateBond.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { readIntentOnChain } from './fakeRelayer.ts'
import { type SolverRig, startSolverRig } from './solverRig.ts'

const [OWN, RIVAL] = deriveDevnetAccounts().solvers
/** Of the rig's intents: 5.05 dollars. */
const BOND = calculateBond({ amountA: worth('USDC', 10_000), reward: worth('USDC', 100) })
/** Seconds: the solver has the time for its bid. */
const AUCTION = 600

let rig: SolverRig
/** The solver's node on the source chain. */
let node: FaultyRpc
let lines: string[] = []

beforeAll(async () => {
  // One forfeited bond is accepted, and a second isn't.
  rig = await startSolverRig({ limits: { forfeited: '10' }, stakes: { USDC: '1000' } })
  const { config, node: real } = rig.pair.base
  node = await startFaultyRpc(real.rpc)
  rig.order.chains = rig.order.chains.map((chain) =>
    chain.chainId === config.chainId ? { ...chain, rpcUrls: [node.url] } : chain,
  )
})
afterAll(async () => {
  await rig?.stop()
  await node?.close()
})

const start = () => {
  lines = []
  const write = (line: Buffer, _: unknown, done: () => void) => {
    lines.push(String(line))
    done()
  }
  return rig.start(pino({ level: 'warn' }, new Writable({ write })))
}

async function stakeOf(account: `0x${string}`): Promise<bigint> {
  const { client, contracts } = rig.pair.base
  const args = [account, contracts.tokens.USDC] as const
  const read = { address: contracts.bridge, abi: bridgeIntentV2Abi, args } as const
  return (await client.readContract({ ...read, functionName: 'stakeOf' }))[0]
}

const isLed = async (id: bigint) => (await readIntentOnChain(rig.pair, id)).solver === OWN!.address
const forfeits = async (solver: RunningSolver) => (await solver.status()).stats.slashed
const isLogged = (code = 'FORFEIT_LIMIT') => lines.some((line) => line.includes(code))

/** Has the solver win an auction, and stops it before its deposit. */
async function winAndStop(): Promise<bigint> {
  const solver = await start()
  await rig.until(rig.isReady, 'it has staked')
  const id = await rig.offer(AUCTION)
  await rig.pair.play.letRecipientsStand(id)
  await rig.until(() => isLed(id), 'it leads')
  await solver.stop()
  const { endTime } = await readIntentOnChain(rig.pair, id)
  await rig.pair.base.client.setNextBlockTimestamp({ timestamp: endTime })
  await rig.pair.base.client.mine({ blocks: 1 })
  return id
}

it('a bond that is lost to whoever takes the best bidder’s place counts as forfeited, and is staked again', async () => {
  const { base, play } = rig.pair
  await stakeAccount(base.client, base.solvers[1]!, RIVAL!, base.contracts)
  const id = await winAndStop()
  await base.client.increaseTime({ seconds: 110 })
  await base.client.mine({ blocks: 1 })
  const { amountB } = await readIntentOnChain(rig.pair, id)
  await play.deposit(id, amountB - worth('ZEN', 9_000), base.solvers[1])
  expect(await stakeOf(OWN!.address)).toBe(worth('USDC', 100_000) - BOND)
  const { promise: found, resolve: find } = Promise.withResolvers<void>()
  node.inject(({ method }) => (method === 'eth_getLogs' ? { hold: found } : undefined))
  const solver = await start()
  await rig.until(async () => node.count('eth_getLogs') > 0, 'it looks for the log')
  const hasRound = async () =>
    (await solver.status()).networks[base.config.name]?.connected === true
  await rig.until(hasRound, 'it ends its round')
  // It still waits for its node's first answer.
  expect(node.count('eth_getLogs')).toBe(1)
  expect(await forfeits(solver)).toBe(0)
  find()
  await rig.until(async () => (await forfeits(solver)) === 1, 'it knows')
  const isRefilled = async () => (await stakeOf(OWN!.address)) === worth('USDC', 100_000)
  await rig.until(isRefilled, 'it stakes the amount again')
  expect(isLogged()).toBe(false)
  await solver.stop()
})

it('bids no more, and refills no stake, once more was forfeited in a day than its policy accepts', async () => {
  const { base, play } = rig.pair
  const lost = await winAndStop()
  await base.client.increaseTime({ seconds: 210 })
  await base.client.mine({ blocks: 1 })
  await play.refund(lost)
  const solver = await start()
  await rig.until(async () => (await forfeits(solver)) === 2, 'it knows')
  const id = await rig.offer(AUCTION)
  await play.letRecipientsStand(id)
  await rig.until(async () => isLogged(), 'it says so')
  for (let block = 0; block < 10; block++) await base.client.mine({ blocks: 1 })
  expect(await isLed(id)).toBe(false)
  expect(await stakeOf(OWN!.address)).toBe(worth('USDC', 100_000) - BOND)
  // Nor after a restart.
  await solver.stop()
  const again = await start()
  await rig.until(async () => isLogged(), 'it says so again')
  expect(await isLed(id)).toBe(false)
  // The operator has found out why.
  const { policyFile } = rig.order
  const policy = JSON.parse(readFileSync(policyFile, 'utf8'))
  writeFileSync(policyFile, JSON.stringify({ ...policy, limits: { forfeited: '100' } }))
  const other = await rig.offer(AUCTION)
  await play.letRecipientsStand(other)
  await rig.until(() => isLed(other), 'it bids')
  await again.stop()
})

it('says that it doesn’t bid while the source’s clock is far behind', async () => {
  const { base, horizen, play } = rig.pair
  const id = await rig.offer(AUCTION)
  await play.letRecipientsStand(id)
  const { timestamp } = await base.client.getBlock()
  await horizen.client.setNextBlockTimestamp({ timestamp: timestamp + 200n })
  await horizen.client.mine({ blocks: 1 })
  const solver = await start()
  await rig.until(async () => isLogged('CLOCK_BEHIND'), 'it says so')
  expect(await isLed(id)).toBe(false)
  await solver.stop()
})
