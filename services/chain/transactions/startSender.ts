import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
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
  const { chain, databaseUrl, pollMs = 1_000, isStale = async () => false, ...given } = options
  const { chainId } = chain
  const account = options.account.toLowerCase() as Address
  const nodes = nodesAt(chain.rpcUrls)
  const context: Work['context'] = {
    ...DEFAULT_SENDER_SETTINGS,
    ...{ leastGas: () => 0n, onEvent: () => {}, onPhase: () => {} },
    confirmations: chain.confirmations,
    ...given,
    ...{ chainId, account, nodes, dataFees: dataFees(nodes, chainId) },
    isStale: throttledStaleCheck(isStale),
  }
  const report: SenderReport = {
    ...{ chainId, account, isLeading: false },
    ...{ latest: null, passedAt: null, problem: null },
  }
  const stopping = new AbortController()
  const work = { context, report, databaseUrl, holder: randomUUID(), pollMs, stop: stopping.signal }
  const running = keepSending(work)
  return {
    report: () => ({ ...report }),
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

type Work = {
  /** As far as it doesn't depend on the lease. */
  context: Omit<SenderContext, 'requireLead' | 'pace' | 'spent'>
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
  const { account, chainId, leaseMs } = context
  /** Aborted when there is something to do, also while a pass runs. */
  let wait = new AbortController()
  const lease = await takeLease({
    ...{ databaseUrl, account, chainId, holder, leaseMs, stop },
    onLost: () => {
      report.isLeading = false
      wait.abort()
    },
    onNotice: (payload) => {
      if (isForUs(payload, context)) wait.abort()
    },
    onWaiting: () => {
      report.problem = null
    },
  })
  if (!lease) return
  try {
    report.isLeading = true
    const spent = { count: await countSpent(lease.db, account, chainId) }
    // After another sender, nodes may no longer refuse.
    const leading = { ...context, requireLead: lease.requireHeld, pace: { width: 1 }, spent }
    while (!stop.aborted) {
      lease.requireHeld()
      await passAndReport(leading, report, lease.db)
      const signal = AbortSignal.any([wait.signal, stop])
      await pause(pollMs, undefined, { signal }).catch(() => {})
      wait = new AbortController()
    }
  } finally {
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

function isForUs(payload: string, { account, chainId }: Work['context']): boolean {
  const notice = readNotice(payload, (text) => ({ ...JSON.parse(text) }))
  return notice?.state === 'chosen' && notice.chainId === chainId && notice.account === account
}
