import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainConfig } from '../config/chains.ts'
import { buildOf } from './buildOf.ts'
import { type ChainLock, takeChainLock } from './chainLock.ts'
import { clearDeadLock } from './clearDeadLock.ts'
import { isHandedOver } from './fold/createPonderTables.ts'
import { foldFinal } from './foldFinal.ts'
import { lookAtChain } from './lookAtChain.ts'
import { isError, messageOf, type PonderLine, startPonder } from './ponderChild.ts'
import { type ChainSource, openSource } from './prefill/openSource.ts'
import { markStarting, prepareSchema } from './prepareSchema.ts'
import { readProjection } from './readProjection.ts'
import type { Supervision } from './supervision.ts'
import { ChainNotReadyError, rebuild, verifyChain } from './verifyChain.ts'
import { type WatchVerdict, watchChain } from './watchChain.ts'

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
/** A run at least this long was a good one: the next restart is quick again. */
const GOOD_RUN_MS = 60_000
const LOCK_RETRY_MS = 1_000
/** What the filled cache counts for in the progress of a first backfill, and what its fold; Ponder's start is the rest. */
const PREFILL_SHARE = 0.5
const FOLD_SHARE = 0.45

/** Why a run ended, and whether Ponder itself said that the chain moved under it. */
type RunEnd = { verdict: WatchVerdict | null; reason: string; movedBackwards: boolean }

/**
 * Keeps one chain indexed until the supervision's signal is aborted: whatever ends a run, the next
 * one follows, ever more slowly while runs fail. Never throws: a chain's trouble is its own.
 */
export async function followChain(supervision: Supervision): Promise<void> {
  const { chain, log, signal } = supervision
  let delay = FIRST_DELAY_MS
  while (!signal.aborted) {
    const began = Date.now()
    const problem = await attempt(supervision).catch((error: Error) => error.message)
    if (signal.aborted) break
    if (problem === null) {
      supervision.report({ state: 'superseded', pid: null })
      log.warn({ chain: chain.name }, `${chain.name} is fed by another build now; leaving it alone`)
      return
    }
    if (Date.now() - began > GOOD_RUN_MS) delay = FIRST_DELAY_MS
    if (problem !== supervision.status().problem) log.warn({ chain: chain.name }, problem)
    supervision.report({ state: 'waiting', problem, pid: null })
    await sleep(delay, undefined, { signal }).catch(() => {})
    delay = Math.min(delay * 2, LONGEST_DELAY_MS)
  }
  supervision.report({ state: 'stopped', pid: null })
}

/** One run, from the lock to the end of the process: the problem that ended it, or null if superseded. */
async function attempt(supervision: Supervision): Promise<string | null> {
  const lock = await waitForLock(supervision)
  if (lock === null) return 'stopped'
  try {
    await checkSource(supervision)
    await prepareSchema(supervision)
    const { head, forgotten } = await verifyChain(supervision)
    if (forgotten) await prepareSchema(supervision)
    await markStarting(supervision, head)
    await clearDeadLock(supervision.pool, supervision.schema)
    const source = await fillTables(supervision, lock)
    const end = await run(supervision, lock, source.chain).finally(source.close)
    if (end.verdict === 'superseded') return null
    if (end.movedBackwards) await rebuildIfDevelopment(supervision)
    return end.reason
  } finally {
    await lock.release()
  }
}

/** Ponder would refuse: the schema is named for the code that was there when we started. */
async function checkSource({ chain, build, root }: Supervision): Promise<void> {
  if ((await buildOf(chain, root)) !== build)
    throw new ChainNotReadyError(
      'the source code has changed since the indexer was started: restart it',
    )
}

async function waitForLock(supervision: Supervision): Promise<ChainLock | null> {
  const { databaseUrl, schema, chain, signal, log } = supervision
  while (!signal.aborted) {
    const lock = await takeChainLock(databaseUrl, schema)
    if (lock) return lock
    const problem = `another indexer feeds ${chain.name} (${schema}); waiting for it to end`
    if (problem !== supervision.status().problem) log.warn({ chain: chain.name }, problem)
    supervision.report({ state: 'waiting', problem })
    await sleep(LOCK_RETRY_MS, undefined, { signal }).catch(() => {})
  }
  return null
}

/** Fills Ponder's cache and folds it, for as long as the schema is ours, and tells how far that is. */
async function fillTables(supervision: Supervision, lock: ChainLock): Promise<ChainSource> {
  const { report, status } = supervision
  const isReady = (await readProjection(supervision))?.isReady ?? false
  const lost = new AbortController()
  lock.lost.then(() => lost.abort(new Error('lost the database connection that holds the lock')))
  const signal = AbortSignal.any([supervision.signal, lost.signal])
  const tell = (share: number) => {
    const progress = Math.max(status().progress, share)
    if (isReady) report({ state: 'resuming', problem: null })
    else report({ state: 'backfilling', progress, problem: null })
  }
  const source = await openSource({
    ...{ ...supervision, signal },
    onProgress: ({ doneBlocks, totalBlocks }) =>
      tell((totalBlocks === 0 ? 1 : doneBlocks / totalBlocks) * PREFILL_SHARE),
  })
  const folding = isReady
    ? Promise.resolve()
    : foldFinal(supervision, signal, (share) => tell(PREFILL_SHARE + share * FOLD_SHARE))
  try {
    await folding
  } catch (error) {
    await source.close()
    throw error
  }
  return source
}

/** Runs Ponder over `source`, the chain by way of our RPC proxy; we ourselves look at the chain past it. */
async function run(
  supervision: Supervision,
  lock: ChainLock,
  source: ChainConfig,
): Promise<RunEnd> {
  const { chain, signal } = supervision
  const hints = { movedBackwards: false, lostTheChain: Promise.withResolvers<'forked'>() }
  const child = await startPonder({
    ...supervision,
    chain: source,
    isHandedOver: await isHandedOver(supervision.pool, supervision.schema),
    onLine: (line) => {
      if (/unrecoverable reorg/i.test(line.msg)) hints.lostTheChain.resolve('forked')
      if (/cannot move backwards/.test(messageOf(line))) hints.movedBackwards = true
      relay(supervision, line)
    },
  })
  supervision.report({ state: 'starting', pid: child.pid })
  const over = new AbortController()
  const whenStopped = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null)
    // Forgotten with this run: the signal outlives many.
    signal.addEventListener('abort', () => resolve(null), { once: true, signal: over.signal })
  })
  const verdict = await Promise.race([
    child.ended.then(() => null),
    lock.lost.then(() => null),
    whenStopped,
    hints.lostTheChain.promise,
    watchChain(supervision, child, over.signal),
  ])
  over.abort()
  await child.stop()
  const reason = reasonOf(chain.name, verdict, await child.ended)
  return { verdict, reason, movedBackwards: hints.movedBackwards }
}

function reasonOf(name: string, verdict: WatchVerdict | null, end: string): string {
  if (verdict === 'forked') return `${name} moved deeper than its index can follow`
  if (verdict === 'stalled') return `the index of ${name} stood still while the chain went on`
  return `Ponder of ${name} ${end}`
}

/**
 * Ponder refuses to start while the chain's final block is before the one it knew. A public chain
 * comes there again; a development node that went back to a saved state may never.
 */
async function rebuildIfDevelopment(supervision: Supervision): Promise<void> {
  const { chain, log } = supervision
  const view = await lookAtChain(chain)
  if (!view.isDevelopment)
    throw new ChainNotReadyError(`${chain.name} is behind the block that was final`)
  log.warn({ chain: chain.name }, `${chain.name} went back in time: rebuilding its index`)
  await rebuild(supervision, view)
}

/** Ponder's own words, as ours: loud only where an operator has something to do. */
function relay({ chain, log }: Supervision, line: PonderLine): void {
  const level = isError(line) ? 'warn' : 'debug'
  log[level]({ chain: chain.name }, `Ponder: ${messageOf(line)}`)
}
