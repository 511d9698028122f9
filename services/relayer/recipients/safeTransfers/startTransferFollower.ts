import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { findReason } from '../../../chain/accountSender.ts'
import { createRangeSizer } from '../../../chain/history/rangeSizer.ts'
import { createRpcPool } from '../../../chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../../config/chainConfig.ts'
import { repeat } from '../../../process/repeat.ts'
import { tryLockWhileAlive } from '../../../store/database/advisoryLocks.ts'
import { nameDatabaseFailure } from '../../../store/database/nameDatabaseFailure.ts'
import { openSingleConnection } from '../../../store/database/openSingleConnection.ts'
import { WAKE_CHANNEL } from '../balances/requestBalanceRefresh.ts'
import { countQuiet, markQuiet, markUnpaidQuiet } from './followedSafes.ts'
import { followTransfersOnce, type Round } from './followTransfersOnce.ts'
import { createUnreadSearch } from './listSafes.ts'
import type { TransferReport } from './readTransfersHealth.ts'
import {
  DEFAULT_TRANSFER_SETTINGS,
  MOST_BYTES,
  type TransferEvent,
  type TransferFollowerContext,
  type TransferSettings,
} from './transferFollowerContext.ts'

type TransferFollowerOptions = Partial<TransferSettings> & {
  databaseUrl: string
  chain: Pick<
    ChainConfig,
    'name' | 'chainId' | 'rpcUrls' | 'requestsPerSecond' | 'startBlock' | 'tokens'
  >
  /** Milliseconds between polls of the head. Default 3,000; with thousands of Safes it gets longer. */
  pollMs?: number | undefined
  onEvent?: ((event: TransferEvent) => void) | undefined
}

type TransferFollower = { report(): TransferReport; stop(): Promise<void> }

/** Milliseconds between two searches for Safes to mark as quiet. */
const TIDY_MS = 60_000
/** Milliseconds before the lock or the database is retried. */
const RETRY_MS = 500
/** Pause per request for logs, in milliseconds: on average at most four a second. */
const REST_A_QUESTION = 250

/**
 * Follows the ERC-20 transfers of our Safes on one chain. Only one process per database does so: the holder of the
 * chain's lock, which PostgreSQL releases whenever the holder's connection ends.
 */
export function startTransferFollower(options: TransferFollowerOptions): TransferFollower {
  const { databaseUrl, chain, onEvent = () => {}, pollMs = 3_000, ...given } = options
  const { chainId } = chain
  const settings = { ...DEFAULT_TRANSFER_SETTINGS, ...given }
  const report: TransferReport = {
    chainId,
    isLeading: false,
    latest: null,
    problem: null,
    safes: null,
    caughtUpAt: null,
    failures: 0,
  }
  const pool = createRpcPool({ ...chain, mostBytes: MOST_BYTES })
  const tools = { chain, settings, pool, onEvent }
  // Keeps reconnecting; each connection tries to get the lock.
  const following = repeat(
    RETRY_MS,
    (error) => {
      report.problem = nameDatabaseFailure(error)
      report.failures += 1
      onEvent({ type: 'trouble', chainId, problem: report.problem, detail: findReason(error) })
    },
    (stop) =>
      followWhileConnected({ tools: { ...tools, stop }, report, databaseUrl, pollMs }).finally(
        () => {
          report.isLeading = false
        },
      ),
  )
  return { report: () => ({ ...report, clock: Date.now() }), stop: following.stop }
}

type Work = {
  tools: Omit<TransferFollowerContext, 'db' | 'sizer' | 'unread'> & { stop: AbortSignal }
  report: TransferReport
  databaseUrl: string
  pollMs: number
}

async function followWhileConnected({ tools, report, databaseUrl, pollMs }: Work): Promise<void> {
  const { stop, settings } = tools
  const { chainId } = tools.chain
  const db = await openSingleConnection(databaseUrl, 'cairn_transfers')
  try {
    while (!(await tryLockWhileAlive(db, 'transfers', String(chainId)))) {
      report.problem = null
      await rest(RETRY_MS, stop)
      if (stop.aborted) return
    }
    report.isLeading = true
    const wakes = await listen(db)
    let tidied = Number.NEGATIVE_INFINITY
    let quiet = 0
    // New for each connection: a wrong adjustment doesn't persist, and the database may be another.
    const sizer = createRangeSizer({ first: 2_000 })
    const context = { ...tools, db, sizer, unread: createUnreadSearch() }
    while (!stop.aborted) {
      const round = await followAndReport(context, report)
      if (round?.isAtHead && performance.now() - tidied > TIDY_MS) {
        tidied = performance.now()
        await markQuiet(db, chainId, settings)
        await markUnpaidQuiet(db, chainId, settings)
        quiet = await countQuiet(db, chainId)
      }
      if (round?.isAtHead || (round && round.behind > 0)) {
        report.safes = { followed: round.safes, quiet, behind: round.behind }
      }
      if (!round?.isUnfinished) await wakes.rest(restAfter(round, context, pollMs), stop)
    }
  } finally {
    await db.end().catch(() => {})
  }
}

/** Repeats a round that fails because of the chain's nodes, or of what the database refuses, but not one that lost it. */
async function followAndReport(
  context: TransferFollowerContext,
  report: TransferReport,
): Promise<Round | null> {
  try {
    const round = await followTransfersOnce(context)
    report.latest = round
    const { disagreeing } = round
    const problem = disagreeing.length > 0 ? DISAGREEMENT : null
    if (problem !== null && report.problem !== problem) {
      const detail = `${disagreeing.join(' and ')} give different balances, and no majority decides: add another node to rpcUrls`
      context.onEvent({ type: 'trouble', chainId: context.chain.chainId, problem, detail })
    }
    report.problem = problem
    if (round.isAtHead) report.caughtUpAt = Date.now()
    return round
  } catch (error) {
    if (context.stop?.aborted) return null
    report.failures += 1
    await context.db.query('select 1')
    const { chainId } = context.chain
    const problem =
      error instanceof pg.DatabaseError ? nameDatabaseFailure(error) : 'RPC_UNREACHABLE'
    if (report.problem !== problem) {
      context.onEvent({ type: 'trouble', chainId, problem, detail: findReason(error) })
    }
    report.problem = problem
    return null
  }
}

const DISAGREEMENT = 'NODES_DISAGREE'

function restAfter(
  round: Round | null,
  { settings }: TransferFollowerContext,
  pollMs: number,
): number {
  const questions = Math.ceil((round?.safes ?? 0) / settings.safesAtOnce) * 2
  return Math.max(pollMs, questions * REST_A_QUESTION)
}

/** Called when someone waits for Safes to be read; ends a pause. */
async function listen(db: pg.Client) {
  let wake = new AbortController()
  db.on('notification', () => wake.abort())
  await db.query(`listen ${WAKE_CHANNEL}`)
  return {
    rest: async (milliseconds: number, stop: AbortSignal) => {
      await rest(milliseconds, AbortSignal.any([stop, wake.signal]))
      if (wake.signal.aborted) wake = new AbortController()
    },
  }
}

async function rest(milliseconds: number, stop: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal: stop }).catch(() => {})
}
