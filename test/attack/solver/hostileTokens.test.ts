import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import pino from 'pino'
import { type Address, encodeFunctionData, erc20Abi, parseAbi } from 'viem'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import type { RunningSolver } from '../../../services/solver/startSolver.ts'
import { readIntentOnChain } from '../../integration/solver/fakeRelayer.ts'
import { type SolverRig, startSolverRig } from '../../integration/solver/solverRig.ts'
import { answer, burn, guardToken, refuse } from '../../rig/guardToken.ts'
import { hasBidder } from './deceivedSolver.ts'

const APPROVE = '0x095ea7b3'
const TRANSFER_FROM = '0x23b872dd'
const BALANCE_OF = '0x70a08231'
const DECIMALS = '0x313ce567'

/** A token that the solver's policy names besides USDC and ZEN. */
const ODD: Address = '0x0dd0000000000000000000000000000000000000'

/** Seconds: the solver has fifty blocks for its bid. */
const AUCTION = 600

let rig: SolverRig
let solver: RunningSolver | null = null
let lines: string[] = []
let undo: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  rig = await startSolverRig({ prices: { USDC: '1', ZEN: '10', ODD: '1' } })
  rig.order.chains = rig.order.chains.map((chain) => {
    return { ...chain, tokens: { ...chain.tokens, ODD: { address: ODD, decimals: 18 } } }
  })
  for (const { client, contracts } of [rig.pair.base, rig.pair.horizen]) {
    const bytecode = await client.getCode({ address: contracts.tokens.ZEN })
    await client.setCode({ address: ODD, bytecode: bytecode! })
  }
  const first = await start()
  await rig.until(rig.isReady, 'it has staked')
  await first.stop()
})
afterEach(async () => {
  await solver?.stop()
  solver = null
  for (const one of undo) await one()
  undo = []
})
afterAll(() => rig?.stop())

async function start(): Promise<RunningSolver> {
  lines = []
  const write = (line: Buffer, _: unknown, done: () => void) => {
    lines.push(String(line))
    done()
  }
  solver = await rig.start(pino({ level: 'warn' }, new Writable({ write })))
  return solver
}

const isLogged = (code: string) => async () => lines.some((line) => line.includes(code))

async function guard(side: 'base' | 'horizen', token: Address, code: `0x${string}`) {
  undo.push(await guardToken(rig.pair[side].client, token, code))
}

async function offer(recipientClass = 1): Promise<bigint> {
  const id = await rig.pair.play.create('0x', AUCTION)
  await rig.pair.play.anchor(id, { recipientClass })
  rig.relayer.announce(id)
  await rig.pair.play.letRecipientsStand(id)
  return id
}

async function stopGuarding(): Promise<void> {
  for (const one of undo) await one()
  undo = []
}

it('pays for no approval that the token refuses by returning false', async () => {
  const { client, contracts, solvers } = rig.pair.horizen
  const [own] = deriveDevnetAccounts().solvers
  const args = [contracts.bridge, 0n] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
  await solvers[0]!.execute({ to: contracts.tokens.ZEN, data })
  await guard('horizen', contracts.tokens.ZEN, answer(APPROVE, 0))
  const before = await client.getTransactionCount(own!)
  await start()
  const id = await offer()
  await rig.until(isLogged('TOKEN_REFUSES'), 'it says why it doesn’t bid')
  for (let block = 0; block < 5; block++) await client.mine({ blocks: 1 })
  expect(await client.getTransactionCount(own!)).toBe(before)
  await stopGuarding()
  await rig.until(() => hasBidder(rig, id), 'it has bid')
})

it('bids on no delivery that the token refuses, and again once it doesn’t', async () => {
  await guard('horizen', rig.pair.horizen.contracts.tokens.ZEN, refuse(TRANSFER_FROM))
  await start()
  const id = await offer()
  await rig.until(isLogged('TOKEN_REFUSES'), 'it says why it doesn’t bid')
  expect(await hasBidder(rig, id)).toBe(false)
  await stopGuarding()
  await rig.until(() => hasBidder(rig, id), 'it has bid')
})

it('bids on no intent whose token would refuse to pay it', async () => {
  const { client, contracts, senders } = rig.pair.base
  const abi = parseAbi([
    'function blacklist(address account)',
    'function unBlacklist(address account)',
  ])
  const [own] = deriveDevnetAccounts().solvers
  const say = async (functionName: 'blacklist' | 'unBlacklist') => {
    const data = encodeFunctionData({ abi, functionName, args: [own!.address] })
    await senders[0]!.execute({ to: contracts.tokens.USDC, data })
  }
  undo.push(() => say('unBlacklist'))
  await say('blacklist')
  await client.mine({ blocks: 1 })
  await start()
  const id = await offer()
  await rig.until(isLogged('TOKEN_REFUSES'), 'it says why it doesn’t bid')
  expect(await hasBidder(rig, id)).toBe(false)
  await stopGuarding()
  await rig.until(() => hasBidder(rig, id), 'it has bid')
})

it('bids on no delivery that may cost more gas than it keeps', async () => {
  await guard('horizen', rig.pair.horizen.contracts.tokens.ZEN, burn(30_000))
  await start()
  const large = await offer(64)
  await rig.until(isLogged('TOKEN_REFUSES'), 'it says why it doesn’t bid')
  expect(await hasBidder(rig, large)).toBe(false)
  const small = await offer()
  await rig.until(() => hasBidder(rig, small), 'it has bid for one recipient')
  expect(await hasBidder(rig, large)).toBe(false)
})

it('trades no token whose decimals aren’t those of the chains file', async () => {
  await guard('horizen', rig.pair.horizen.contracts.tokens.ZEN, answer(DECIMALS, 20))
  await start()
  const id = await offer()
  await rig.until(isLogged('DECIMALS_DIFFER'), 'it says so')
  for (let block = 0; block < 10; block++) await rig.pair.base.client.mine({ blocks: 1 })
  expect(await hasBidder(rig, id)).toBe(false)
  await stopGuarding()
  await rig.until(() => hasBidder(rig, id), 'it has bid')
})

it.each([
  ['whose balance can’t be read', refuse(BALANCE_OF)],
  ['that uses up all gas of every call', '0xfe'],
] as const)('a token %s costs no bond of another token’s intent', async (_, code) => {
  await start()
  const id = await offer()
  await rig.until(() => hasBidder(rig, id), 'it has bid')
  for (const side of ['base', 'horizen'] as const) await guard(side, ODD, code)
  await rig.pair.play.endAuction()
  const settled = async () => (await readIntentOnChain(rig.pair, id)).phase === 3
  await rig.until(settled, 'it has delivered and is paid')
})

it('makes no bids at the prices of a program that has stopped updating them', async () => {
  const { policyFile } = rig.order
  const written = readFileSync(policyFile, 'utf8')
  const write = (age: number, maxAgeSeconds?: number) => {
    writeFileSync(policyFile, JSON.stringify({ ...JSON.parse(written), maxAgeSeconds }))
    const at = Date.now() / 1_000 - age
    utimesSync(policyFile, at, at)
  }
  undo.push(async () => write(0))
  write(3_601, 3_600)
  const { status } = await start()
  const id = await offer()
  const rounds = new Set<number | undefined>()
  const hasHadRounds = async () =>
    rounds.add((await status()).stats.lastRoundAt?.getTime()).size > 15
  await rig.until(hasHadRounds, 'it has had the time to bid')
  expect(await hasBidder(rig, id)).toBe(false)
  expect(await isLogged('POLICY_STALE')()).toBe(true)
  write(0, 3_600)
  await rig.until(() => hasBidder(rig, id), 'it has bid')
})
