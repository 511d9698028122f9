import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Address } from 'viem'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { repeat } from '../../process/repeat.ts'
import { readNotice } from '../../store/changes/changeNotificationPayloads.ts'
import { nameDatabaseFailure } from '../../store/database/nameDatabaseFailure.ts'
import {
  createSingleConnection,
  runWhileConnected,
} from '../../store/database/openSingleConnection.ts'
import { findReason } from '../accountSender.ts'
import { createChainNodes } from './chainNodes.ts'
import { pruneTransactionVersions } from './pruneTransactionVersions.ts'
import { createRollupDataFees } from './rollupDataFees.ts'
import { type PassReport, runSenderPass } from './runSenderPass.ts'
import {
  DEFAULT_SENDER_SETTINGS,
  type Phase,
  type SenderContext,
  type SenderEvent,
  type SenderSettings,
  type SignTransaction,
} from './senderContext.ts'
import { acquireLease } from './senderLease.ts'
import { throttleStaleTransactionCheck } from './throttleStaleTransactionCheck.ts'
import type { Transaction } from './transactionRow.ts'
import { countConfirmed } from './transactionStore.ts'

export type StartSenderOptions = Partial<SenderSettings> & {
  databaseUrl: string
  chain: Pick<ChainConfig, 'name' | 'chainId' | 'rpcUrls' | 'confirmations'>
  account: Address
  sign: SignTransaction
  /** See `SenderContext`; default: never. */
  isStale?: (transaction: Transaction) => Promise<boolean>
  /** See `SenderContext`; default: never. */
  isUrgent?: SenderContext['isUrgent']
  /** See `SenderContext`; default: 0. */
  leastGas?: SenderContext['leastGas']
  onEvent?: (event: SenderEvent) => void
  /** Milliseconds between passes without a notification; five times as many while no transaction waits. Default 1,000. */
  pollMs?: number
  /** Milliseconds until versions of old transactions are deleted for the first time, then hourly. Default a minute. */
  pruneAfterMs?: number
  onPhase?: (phase: Phase, transaction: Transaction) => void
}

export type SenderReport = {
  chainId: number
  /** Whether this process holds the lease; another one may. */
  isLeading: boolean
  /** Result of the latest pass; null before the first. */
  latest: PassReport | null
  /** End of the latest successful pass. */
  passedAt: Date | null
  /** Code of what keeps it from working; null if nothing does. */
  problem: string | null
}

export type Sender = { report(): SenderReport; stop(): Promise<void> }

/** Milliseconds between attempts to reach the database. */
const RETRY_MS = 500

/** How much longer to rest while no transaction waits: a notification announces the next, and each pass asks every node. */
const IDLE_FACTOR = 5

const PRUNE_MS = 3_600_000

/**
 * Sends one account's transactions on one chain, as requested in `app.transaction`. Only one process at a time does so; see
 * `acquireLease`.
 */
export function startSender(options: StartSenderOptions): Sender {
  const { chain, databaseUrl, pollMs = 1_000, isStale = async () => false, ...settings } = options
  const { chainId } = chain
  const account = options.account.toLowerCase() as Address
  const nodes = createChainNodes(chain.rpcUrls)
  const context: Work['context'] = {
    ...DEFAULT_SENDER_SETTINGS,
    isUrgent: () => false,
    leastGas: () => 0n,
    onEvent: () => {},
    onPhase: () => {},
    confirmations: chain.confirmations,
    ...settings,
    chainId,
    account,
    nodes,
    dataFees: createRollupDataFees(nodes, chainId),
    isStale: throttleStaleTransactionCheck(isStale),
  }
  const report: SenderReport = {
    chainId,
    isLeading: false,
    latest: null,
    passedAt: null,
    problem: null,
  }
  const stopping = new AbortController()
  const work = { context, report, databaseUrl, holder: randomUUID(), pollMs, stop: stopping.signal }
  const running = [keepSending(work), keepPruning(work, options.pruneAfterMs ?? 60_000)]
  return {
    report: () => ({ ...report }),
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

type Work = {
  /** The parts that don't depend on the lease. */
  context: Omit<SenderContext, 'requireLease' | 'progress'>
  report: SenderReport
  databaseUrl: string
  holder: string
  pollMs: number
  stop: AbortSignal
}

/** Reconnects whenever the connection breaks; each connection waits for the lease. */
async function keepSending(work: Work): Promise<void> {
  const { context, report, stop } = work
  const onProblem = (error: unknown) => {
    report.problem = nameDatabaseFailure(error)
    reportTrouble(context, report.problem, error)
  }
  const send = () =>
    sendWhileConnected(work).finally(() => {
      report.isLeading = false
    })
  await repeat(RETRY_MS, onProblem, send, { signal: stop }).ended
}

/** With a connection of its own: what fails or takes long must not keep anything from being sent. */
async function keepPruning({ context, databaseUrl, stop }: Work, afterMs: number): Promise<void> {
  const onProblem = (error: unknown) => reportTrouble(context, nameDatabaseFailure(error), error)
  const prune = () => {
    const db = createSingleConnection(databaseUrl, 'cairn_prune')
    return runWhileConnected(db, stop, async () => {
      await pruneTransactionVersions(db, { signal: stop })
    })
  }
  await pause(afterMs, undefined, { signal: stop }).catch(() => {})
  await repeat(PRUNE_MS, onProblem, prune, { signal: stop }).ended
}

async function sendWhileConnected({ context, report, ...work }: Work): Promise<void> {
  const { databaseUrl, holder, pollMs, stop } = work
  const { account, chainId, leaseMs } = context
  /** Aborted when there is work to do, even during a pass. */
  let idle = new AbortController()
  const lease = await acquireLease({
    databaseUrl,
    account,
    chainId,
    holder,
    leaseMs,
    stop,
    onLost: () => {
      report.isLeading = false
      idle.abort()
    },
    onNotification: (payload) => {
      if (isNewRequest(payload, context)) idle.abort()
    },
    onWaiting: () => {
      report.problem = null
    },
  })
  if (!lease) return
  try {
    report.isLeading = true
    const confirmedCount = await countConfirmed(lease.db, account, chainId)
    const progress = { windowSize: 1, confirmedCount, missingSince: new Map() }
    const leading = { ...context, requireLease: lease.requireHeld, progress }
    while (!stop.aborted) {
      lease.requireHeld()
      await passAndReport(leading, report, lease.db)
      const signal = AbortSignal.any([idle.signal, stop])
      const isIdle = report.problem === null && report.latest?.live === 0
      await pause(isIdle ? IDLE_FACTOR * pollMs : pollMs, undefined, { signal }).catch(() => {})
      idle = new AbortController()
    }
  } finally {
    await lease.release()
  }
}

/**
 * Reports a failure of the chain's nodes, after which the next pass follows.
 *
 * @throws if the database is lost, or refuses a statement, as a replica or one without disk space does
 */
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
    if (error instanceof pg.DatabaseError) throw error
    await db.query('select 1')
    report.problem = 'RPC_UNREACHABLE'
    reportTrouble(context, report.problem, error)
  }
}

function reportTrouble(
  { chainId, onEvent }: Work['context'],
  problem: string,
  error: unknown,
): void {
  onEvent({ type: 'trouble', chainId, problem, detail: findReason(error) })
}

function isNewRequest(payload: string, { account, chainId }: Work['context']): boolean {
  const changed = readNotice(payload, (text) => ({ ...JSON.parse(text) }))
  return changed?.state === 'chosen' && changed.chainId === chainId && changed.account === account
}
