import { setTimeout as sleep } from 'node:timers/promises'
import { isLockedSql } from '../chainLock.ts'
import type { ChainStatus, Supervision } from '../chainSupervision.ts'
import {
  compareWithKnownBlocks,
  noteAnchor,
  readKnownBlocks,
} from '../check/compareWithKnownBlocks.ts'
import { type ProjectionStatus, readProjectionStatus } from '../check/readProjectionStatus.ts'
import type { PonderChild } from '../ponder/startPonder.ts'
import { activateSchema } from '../tables/activateSchema.ts'
import { probeChain, WrongChainError } from './probeChain.ts'

const START_TICK_MS = 100
/** Polled rather than notified: readers don't depend on it, and notifications would cost processor time. */
const RESUME_TICK_MS = 500
const LIVE_TICK_MS = 2_000
/** Milliseconds for which the index may stall while its chain advances. */
const STALL_MS = 60_000

/** Why a running Ponder must be ended. */
export type WatchVerdict = 'superseded' | 'forked' | 'stalled'

/** Chains whose schema readers have seen, by their supervisors' `status`. */
const shown = new WeakSet<Supervision['status']>()

/**
 * Watches a running Ponder: shows the chain to readers once it is ready, records anchors, and resolves when the process
 * must be ended. Otherwise it doesn't resolve: abort `signal` when the process has ended.
 */
export async function watchPonder(
  supervised: Supervision,
  child: PonderChild,
  signal: AbortSignal,
): Promise<WatchVerdict | null> {
  // A check that outlasts its Ponder must not call the chain live: it is waiting for the next one.
  const report = (change: Partial<ChainStatus>) => signal.aborted || supervised.report(change)
  const supervision: Supervision = { ...supervised, report }
  const stall = stallClock()
  // The filled tables already count for a part of the progress.
  const before = supervision.status().progress
  while (!signal.aborted) {
    const verdict = await checkChain(supervision, child, stall, before).catch((error: Error) => {
      supervision.log.debug({ chain: supervision.chain.name, err: error }, 'could not check on')
      return null
    })
    if (verdict) return verdict
    await sleep(tickFor(supervision.status()), undefined, { signal }).catch(() => {})
  }
  return null
}

function tickFor({ state }: Pick<ChainStatus, 'state'>): number {
  if (state === 'live') return LIVE_TICK_MS
  return state === 'resuming' ? RESUME_TICK_MS : START_TICK_MS
}

async function checkChain(
  supervision: Supervision,
  child: PonderChild,
  stall: ReturnType<typeof stallClock>,
  progressBefore: number,
): Promise<WatchVerdict | null> {
  const projection = await readProjectionStatus(supervision)
  if (projection === null) return (await isSuperseded(supervision)) ? 'superseded' : 'forked'
  if (!projection.isReady) {
    await reportProgress(supervision, child, progressBefore)
    return null
  }
  if (!projection.active) {
    // The index that started last serves the readers; an earlier one doesn't get them back.
    if (shown.has(supervision.status) && (await isSuperseded(supervision))) return 'superseded'
    if (await isBehindShown(supervision, projection)) {
      if (projection.state !== 'live') return null
      noteBehind(supervision)
      return compareHead(supervision, projection, stall)
    }
    await activate(supervision)
  }
  shown.add(supervision.status)
  if (projection.state !== supervision.status().state) goLive(supervision, projection)
  if (projection.state !== 'live') return null
  return compareHead(supervision, projection, stall)
}

/** Seconds by which the index that readers see may be ahead when another one takes over: it may hear of a block first. */
const HEARD_FIRST = 2

/**
 * Whether readers would go back in time if they got this index instead of another build's: Ponder is ready at its final
 * block. An index that nobody advances is waited for only up to the head of this one's start.
 */
async function isBehindShown(
  { pool, chain, schema }: Supervision,
  { state }: ProjectionStatus,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select 1 from app.projection shown
     join cairn.chain_clock clock using (chain_id)
     join "${schema}"._ponder_checkpoint own using (chain_id)
     where shown.chain_id = $1 and shown.active and shown.schema_name <> $2
       and clock.timestamp > app.checkpoint_time(own.latest_checkpoint) + $3
       and ($4 <> 'live' or ${isLockedSql('shown.schema_name')})`,
    [chain.chainId, schema, HEARD_FIRST, state],
  )
  return rowCount !== 0
}

/** Chains for which a log line says why their index isn't shown yet, by their supervisors' `status`. */
const announced = new WeakSet<Supervision['status']>()

/** Says why an index at its chain's head isn't shown, and makes the next checks, which ask the providers, less frequent. */
function noteBehind({ chain, log, report, status }: Supervision): void {
  if (status().state !== 'resuming') report({ state: 'resuming', progress: 1, problem: null })
  if (announced.has(status)) return
  announced.add(status)
  log.info(
    { chain: chain.name },
    `${chain.name}: readers keep another build's index until this one has caught up with it`,
  )
}

async function reportProgress(
  supervision: Supervision,
  child: PonderChild,
  progressBefore: number,
): Promise<void> {
  const url = child.metricsUrl()
  const folded = url === null ? null : await readProgress(url)
  if (folded === null) return
  const progress = progressBefore + (1 - progressBefore) * folded
  const { state, progress: before } = supervision.status()
  if (state === 'backfilling' && progress <= before) return
  supervision.report({ state: 'backfilling', progress, problem: null })
}

async function activate(supervision: Supervision): Promise<void> {
  const { pool, chain, schema, log } = supervision
  const { dropped, busy, kept } = await activateSchema(pool, { chainId: chain.chainId, schema })
  if (dropped.length > 0) log.info({ chain: chain.name, dropped }, 'dropped superseded schemas')
  if (busy.length > 0)
    log.warn(
      { chain: chain.name, busy },
      'superseded schemas are still in use, as by a backup: drop them later, or the next version will',
    )
  for (const { schema: former, missing, of } of kept) {
    log.warn(
      { chain: chain.name, former, missing, of },
      `the new index lacks ${missing} of the ${of} final events of the previous one, which is kept: ` +
        `if \`bridge\` or \`startBlock\` of ${chain.name} is wrong, restore it and readers get the previous index again; ` +
        `otherwise drop schema "${former}"`,
    )
  }
}

function goLive(supervision: Supervision, projection: ProjectionStatus): void {
  const { chain, log } = supervision
  const { state, block } = projection
  supervision.report({ state, progress: 1, problem: null })
  if (state === 'live') log.info({ chain: chain.name, block }, `${chain.name} is live`)
}

/** Compares the index with its chain: is it still the same chain, and does the index keep up? */
async function compareHead(
  supervision: Supervision,
  projection: ProjectionStatus,
  stall: ReturnType<typeof stallClock>,
): Promise<WatchVerdict | null> {
  const { pool, chain } = supervision
  const view = await probeChain(chain).catch((error: Error) => {
    if (error instanceof WrongChainError) noteProblem(supervision, error.message)
    return null
  })
  if (view === null) return null
  const comparison = await compareWithKnownBlocks(
    view,
    await readKnownBlocks(pool, chain.chainId, []),
  )
  if (comparison.kind === 'forked') return 'forked'
  const isUnknown = comparison.kind === 'unknown'
  noteProblem(supervision, isUnknown ? comparison.reason : null)
  const { block, finalizedBlock } = projection
  // Endpoints that contradict final blocks prove nothing.
  if (!isUnknown && finalizedBlock !== null && finalizedBlock <= view.head) {
    const answers = await view.hashesAt(finalizedBlock)
    const hashes = [...new Set(answers.filter((answer) => answer !== null))]
    if (hashes.length === 1)
      await noteAnchor(pool, chain.chainId, { blockNumber: finalizedBlock, blockHash: hashes[0]! })
  }
  return stall(block, view.head) > STALL_MS ? 'stalled' : null
}

/** Reports what is wrong with a live chain's endpoints, once. */
function noteProblem({ chain, log, report, status }: Supervision, problem: string | null): void {
  if (status().problem === problem) return
  if (problem !== null) log.warn({ chain: chain.name }, problem)
  report({ problem })
}

/** Milliseconds for which the index has been below the head without advancing. */
export function stallClock() {
  let last: number | null = null
  let since = performance.now()
  return (block: number | null, head: number): number => {
    if (block !== last || block === null || block >= head) since = performance.now()
    last = block
    return performance.now() - since
  }
}

async function isSuperseded({ pool, chain, schema }: Supervision): Promise<boolean> {
  const { rowCount } = await pool.query(
    'select 1 from app.projection where chain_id = $1 and active and schema_name <> $2',
    [chain.chainId, schema],
  )
  return rowCount !== 0
}

/**
 * Completed share of the first backfill, 0 to 1, from Ponder's metrics; null when it doesn't answer or hasn't begun.
 */
async function readProgress(metricsUrl: string): Promise<number | null> {
  try {
    const response = await fetch(metricsUrl, { signal: AbortSignal.timeout(1_000) })
    return progressOf(await response.text())
  } catch {
    return null
  }
}

/** The same from the text of the metrics. */
export function progressOf(metrics: string): number | null {
  const seconds = (name: string) => {
    const found = metrics.match(
      new RegExp(`^ponder_historical_${name}_indexing_seconds{.*} (.+)$`, 'm'),
    )
    return found ? Number(found[1]) : null
  }
  const [total, cached, completed] = ['total', 'cached', 'completed'].map(seconds)
  if (total == null || cached == null || completed == null) return null
  if (total === 0) return 1
  return Math.min(1, (cached + completed) / total)
}
