import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { erc20Abi } from 'viem'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import type { Phase } from '../../../services/chain/transactions/senderContext.ts'
import { createLog } from '../../../services/log/createLog.ts'
import { createSolverAccount } from '../../../services/solver/account/solverAccount.ts'
import type { PolicyFile } from '../../../services/solver/policy/policySchema.ts'
import { type RunningSolver, startSolver } from '../../../services/solver/startSolver.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { FAST_START_OPTIONS } from '../../rig/fastStartOptions.ts'
import { TIMEOUT_MS, until } from '../../rig/until.ts'
import { type BridgePair, readBridgeEvents, startBridgePair } from '../indexer/bridgePair.ts'
import { type FakeRelayer, startFakeRelayer } from './fakeRelayer.ts'

const MORTAL = fileURLToPath(new URL('./killedSolver.ts', import.meta.url))

/** A solver's options, in a form that can be passed to another process. */
export type SolverOrder = {
  databaseUrl: string
  chains: BridgePair['base']['config'][]
  relayerUrl: string
  policyFile: string
  privateKey: `0x${string}`
  roundMs: number
}

export type SolverRig = {
  pair: BridgePair
  relayer: FakeRelayer
  order: SolverOrder
  postgres: PostgresUnderTest
  /** Creates an anchored intent that the relayer lists; its auction lasts 60 seconds by default. */
  offer(auction?: number): Promise<bigint>
  /** Starts a solver in this process, silent unless given a log. */
  start(log?: Logger): Promise<RunningSolver>
  /** Starts a solver in a separate process that dies by `kill -9` in this phase. Resolves when it is dead. */
  dieAt(kind: string, phase: Phase, meanwhile: () => Promise<void>): Promise<void>
  /** Whether the solver has staked and can bid. */
  isReady(): Promise<boolean>
  /** Names of events about an intent on both chains, in order. */
  history(id: bigint): Promise<string[]>
  /** Waits, and mines blocks on both chains meanwhile. */
  until(condition: () => Promise<boolean>, what: string): Promise<void>
  zenOf(account: `0x${string}`): Promise<bigint>
  stop(): Promise<void>
}

const POLICY: PolicyFile = {
  prices: { USDC: '1', ZEN: '10' },
  marginBps: 10,
  limits: { overall: '1000000' },
  stakes: { USDC: '100000' },
  deliverySafetySeconds: 100,
}

/** Two real chains with solvers without stakes, a database and a fake relayer. Tests mine the blocks. */
export async function startSolverRig(policy: Partial<PolicyFile> = {}): Promise<SolverRig> {
  const [pair, postgres] = await Promise.all([
    startBridgePair({ stakes: false }),
    startPostgresUnderTest(),
  ])
  const [account] = deriveDevnetAccounts().solvers
  if (!account) throw new Error('no solver')
  const relayer = await startFakeRelayer(pair, `0x${'ab'.repeat(20)}`)
  const directory = mkdtempSync(join(tmpdir(), 'cairn-solver-'))
  const policyFile = join(directory, 'policy.json')
  writeFileSync(policyFile, JSON.stringify({ ...POLICY, ...policy }))
  const { USDC, ZEN } = pair.base.contracts.tokens
  const tokens = { USDC: { address: USDC, decimals: 6 }, ZEN: { address: ZEN, decimals: 18 } }
  const order: SolverOrder = {
    policyFile,
    databaseUrl: postgres.databaseUrl,
    relayerUrl: relayer.url,
    roundMs: 200,
    chains: [pair.base, pair.horizen].map(({ config }) => ({ ...config, tokens })),
    privateKey: account.privateKey,
  }
  const mine = async () => {
    await Promise.all([pair.base, pair.horizen].map(({ client }) => client.mine({ blocks: 1 })))
  }
  return {
    pair,
    relayer,
    order,
    postgres,
    offer: async (auction) => {
      const id = await pair.play.create('0x', auction)
      await pair.play.anchor(id)
      relayer.announce(id)
      return id
    },
    start: (log = createLog('solver', { level: 'silent' })) => {
      const { privateKey, ...options } = order
      return startSolver({ ...options, account: createSolverAccount(privateKey), log })
    },
    dieAt: async (kind, phase, meanwhile) => {
      const args = [...FAST_START_OPTIONS, MORTAL, JSON.stringify(order), kind, phase]
      const child = spawn(process.execPath, args, { stdio: 'inherit' })
      let isDead = false
      const died = once(child, 'exit').then(([, signal]) => {
        isDead = true
        return signal
      })
      const deadline = Date.now() + TIMEOUT_MS
      while (!isDead) {
        if (Date.now() > deadline) child.kill('SIGTERM')
        await meanwhile()
        await mine()
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      if ((await died) !== 'SIGKILL') throw new Error('the solver ended before it was killed')
    },
    isReady: async () => {
      const [total] = await pair.base.client.readContract({
        address: pair.base.contracts.bridge,
        abi: bridgeIntentV2Abi,
        functionName: 'stakeOf',
        args: [account.address, USDC],
      })
      return total > 0n
    },
    history: async (id) => {
      const events = (
        await Promise.all([readBridgeEvents(pair.base), readBridgeEvents(pair.horizen)])
      ).flat()
      return events
        .filter(({ args }) => 'intentId' in args && args.intentId === id)
        .map(({ type }) => type)
    },
    until: (condition, what) => until(condition, what, { interval: 100, meanwhile: mine }),
    zenOf: (owner) =>
      pair.horizen.client.readContract({
        address: ZEN,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [owner],
      }),
    stop: async () => {
      await relayer.stop()
      await Promise.all([postgres.stop(), pair.stop()])
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
