import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Address } from 'viem'
import type { ChainConfig } from '../../config/chains.ts'
import { repeat } from '../../process/repeat.ts'
import { readNotice } from '../../store/changes/changeNotice.ts'
import { dataFees } from './dataFees.ts'
import { nodesAt } from './nodes.ts'
import { type PassReport, runSenderPass } from './runSenderPass.ts'
import {
  DEFAULT_SENDER_SETTINGS,
  type Phase,
  type SenderContext,
  type SenderEvent,
  type SenderSettings,
  type SignTransaction,
} from './senderContext.ts'
import { takeLease } from './senderLease.ts'
import { countSpent } from './senderStore.ts'
import { throttledStaleCheck } from './throttledStaleCheck.ts'
import type { Transaction } from './transaction.ts'

export type StartSenderOptions = Partial<SenderSettings> & {
  databaseUrl: string
  chain: Pick<ChainConfig, 'name' | 'chainId' | 'rpcUrls' | 'confirmations'>
  account: Address
  sign: SignTransaction
  /** See `SenderContext`; default: never. */
  isStale?: (transaction: Transaction) => Promise<boolean>
  /** See `SenderContext`; default: 0. */
  leastGas?: (transaction: Transaction) => bigint
  onEvent?: (event: SenderEvent) => void
  /** Milliseconds between two looks when nothing is heard. Default 1,000. */
  pollMs?: number
  onPhase?: (phase: Phase, transaction: Transaction) => void
}

/** A sender's condition. */
export type SenderReport = {
  chainId: number
  account: Address
  /** Whether this process is the one that sends; another instance may be. */
  isLeading: boolean
  /** Of the latest pass; null before the first. */
  latest: PassReport | null
  /** When the latest pass ended well. */
  passedAt: Date | null
  /** What keeps it from working; null when nothing does. */
  problem: string | null
}

export type Sender = { report(): SenderReport; stop(): Promise<void> }

/** Milliseconds before another try for the lock or the database. */
const RETRY_MS = 500

/**
 * Sends one account's transactions on one chain, as `app.transaction` asks for them. Of all processes
 * on the database only one does so at a time: see `takeLease`.
 */
export function startSender(options: StartSenderOptions): Sender {
  const { chain, databaseUrl, account, onEvent = () => {}, onPhase = () => {} } = options
  const { pollMs = 1_000, sign, chain: _, databaseUrl: __, onEvent: ___, ...settings } = options
  const nodes = nodesAt(chain.rpcUrls)
  const context: SenderContext = {
    ...DEFAULT_SENDER_SETTINGS,
    confirmations: chain.confirmations,
    ...settings,
    chainId: chain.chainId,
    account: account.toLowerCase() as Address,
    ...{ nodes, dataFees: dataFees(nodes, chain.chainId) },
    requireLead: () => {},
    sign,
    isStale: throttledStaleCheck(options.isStale ?? (async () => false)),
    leastGas: options.leastGas ?? (() => 0n),
    ...{ pace: { width: 1 }, spent: { count: 0 } },
    onEvent,
    onPhase,
  }
  const stopping = new AbortController()
  const report: SenderReport = {
    chainId: chain.chainId,
    account: context.account,
    isLeading: false,
    latest: null,
    passedAt: null,
    problem: null,
  }
  const holder = randomUUID()
  const running = keepSending({
    context,
    report,
    databaseUrl,
    holder,
    pollMs,
    stop: stopping.signal,
  })
  return {
    report: () => ({ ...report }),
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

type Work = {
  context: SenderContext
  report: SenderReport
  databaseUrl: string
  holder: string
  pollMs: number
  stop: AbortSignal
}

/** Connects again and again; each connection is a try for the lock. */
async function keepSending(work: Work): Promise<void> {
  const { context, report, stop } = work
  const onProblem = (error: unknown) => {
    report.problem = 'DATABASE_UNREACHABLE'
    const detail = error instanceof Error ? error.message : String(error)
    context.onEvent({ type: 'trouble', problem: report.problem, detail })
  }
  const send = () =>
    sendWhileConnected(work).finally(() => {
      report.isLeading = false
    })
  await repeat(RETRY_MS, onProblem, send, { signal: stop }).ended
}

async function sendWhileConnected({ context, report, ...work }: Work): Promise<void> {
  const { databaseUrl, holder, pollMs, stop } = work
  const bell = createBell()
  const { account, chainId, leaseMs } = context
  const lease = await takeLease({
    ...{ databaseUrl, account, chainId, holder, leaseMs, stop },
    onLost: () => {
      report.isLeading = false
      bell.ring()
    },
    onNotice: (payload) => {
      if (isForUs(payload, context)) bell.ring()
    },
    onWaiting: () => {
      report.problem = null
    },
  })
  if (!lease) return
  const leading = { ...context, requireLead: lease.requireHeld }
  const wake = () => bell.ring()
  stop.addEventListener('abort', wake)
  // After another sender, nodes may no longer refuse.
  leading.pace.width = 1
  try {
    report.isLeading = true
    leading.spent.count = await countSpent(lease.db, account, chainId)
    while (!stop.aborted) {
      lease.requireHeld()
      await passAndReport(leading, report, lease.db)
      await bell.heard(pollMs)
    }
  } finally {
    stop.removeEventListener('abort', wake)
    await lease.end()
  }
}

/** A pass that fails because of the chain's nodes is repeated; one that lost the database is not. */
async function passAndReport(
  context: SenderContext,
  report: SenderReport,
  db: pg.Client,
): Promise<void> {
  try {
    report.latest = await runSenderPass(context, db)
    report.passedAt = new Date()
    const { outOfGas, waitsFor } = report.latest
    report.problem = outOfGas > 0 ? 'OUT_OF_GAS' : waitsFor
  } catch (error) {
    await db.query('select 1')
    report.problem = 'RPC_UNREACHABLE'
    const detail = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    context.onEvent({ type: 'trouble', problem: report.problem, detail })
  }
}

function isForUs(payload: string, { account, chainId }: SenderContext): boolean {
  const notice = readNotice(payload, (text) => ({ ...JSON.parse(text) }))
  return notice?.state === 'chosen' && notice.chainId === chainId && notice.account === account
}

/** A bell that remembers being rung while nobody listened. */
function createBell() {
  let rung = false
  let wake = () => {}
  return {
    ring: () => {
      rung = true
      wake()
    },
    async heard(withinMs: number): Promise<void> {
      if (!rung) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        const timer = setTimeout(resolve, withinMs)
        await promise
        clearTimeout(timer)
      }
      rung = false
    },
  }
}
