import { setTimeout as sleep } from 'node:timers/promises'
import v8 from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describeDatabaseProblem } from '../../store/database/databaseProblem.ts'
import { type ChainLock, takeChainLock } from '../chainLock.ts'
import type { Supervision } from '../chainSupervision.ts'
import { readProjectionStatus } from '../check/readProjectionStatus.ts'
import {
  ChainNotReadyError,
  rebuild,
  verifyChainBeforeIndexing,
} from '../check/verifyChainBeforeIndexing.ts'
import { computeBuildId } from '../computeBuildId.ts'
import { clearDeadPonderLock, disablePonderTriggers } from '../deadPonderCleanup.ts'
import { openProxiedChain, type ProxiedChain } from '../ponder/openProxiedChain.ts'
import { messageOf, type PonderChild, type PonderLine, startPonder } from '../ponder/startPonder.ts'
import { backfillChain } from '../tables/backfillChain.ts'
import { createIndexes } from '../tables/createIndexes.ts'
import { markStarting, prepareSchema } from '../tables/prepareSchema.ts'
import { probeChain } from './probeChain.ts'
import { relayPonderLine } from './relayPonderLine.ts'
import { type WatchVerdict, watchPonder } from './watchPonder.ts'

const FIRST_DELAY_MS = 200
const LONGEST_DELAY_MS = 30_000
/** A run that became live, or lasted this long, succeeded: the next restart is quick again. */
const GOOD_RUN_MS = 60_000
const LOCK_RETRY_MS = 1_000
/**
 * Milliseconds that the end of a run waits for the database: for a host that vanished it would be until TCP gives up, a
 * quarter of an hour.
 */
const GOODBYE_MS = 5_000
/**
 * Up to this many missing blocks, Ponder starts at once and loads while they are folded. A longer history is folded
 * first, so that the two don't need their memory at the same time.
 */
const FEW_BLOCKS = 128

const LOCK_LOST = 'lost the database connection that holds the lock'

/** Why a run ended, and whether Ponder itself reported that the chain changed beneath it. */
type RunEnd = { verdict: WatchVerdict | null; reason: string; movedBackwards: boolean }

/**
 * Keeps one chain indexed until the supervision's signal is aborted. Restarts whatever ends, with growing delays while
 * runs fail. Never throws, so that one chain's failure doesn't affect others.
 */
export async function superviseChain(supervision: Supervision): Promise<void> {
  const { chain, log, signal } = supervision
  let delay = FIRST_DELAY_MS
  while (!signal.aborted) {
    const began = Date.now()
    const { problem, wasLive } = await attempt(supervision)
    if (signal.aborted) break
    if (problem === null) {
      supervision.report({ state: 'superseded', pid: null })
      log.warn(
        { chain: chain.name },
        `${chain.name} is now served by another build; leaving it alone`,
      )
      return
    }
    if (wasLive || Date.now() - began > GOOD_RUN_MS) delay = FIRST_DELAY_MS
    await sleep(delay, undefined, { signal }).catch(() => {})
    delay = Math.min(delay * 2, LONGEST_DELAY_MS)
  }
  supervision.report({ state: 'stopped', pid: null })
}

/** One run, from the lock to the end of the process: the problem that ended it, or null if superseded. */
async function attempt(
  supervision: Supervision,
): Promise<{ problem: string | null; wasLive: boolean }> {
  const { signal } = supervision
  let lock: ChainLock | null = null
  let problem: string | null
  try {
    lock = await waitForLock(supervision)
    problem = lock === null ? 'stopped' : await follow(supervision, lock)
  } catch (error) {
    problem =
      describeDatabaseProblem(error, 'DATABASE_URL', supervision.databaseUrl) ??
      (error as Error).message
  }
  const wasLive = supervision.status().state === 'live'
  // Before the lock is released: then the chain's row may be another's.
  if (problem !== null && !signal.aborted) noteWaiting(supervision, problem)
  if (lock !== null) await letGo(supervision, lock)
  return { problem, wasLive }
}

/** Records the last status and releases the lock, as far as the database still answers. */
async function letGo({ publishThrough }: Supervision, lock: ChainLock): Promise<void> {
  const patience = () => sleep(GOODBYE_MS, undefined, { ref: false })
  await Promise.race([publishThrough(null), patience()])
  await Promise.race([lock.release().catch(() => {}), patience()])
}

async function follow(supervision: Supervision, lock: ChainLock): Promise<string | null> {
  await supervision.publishThrough(lock)
  await checkSource(supervision)
  await prepareSchema(supervision)
  const { head, forgotten } = await verifyChainBeforeIndexing(supervision)
  if (forgotten) await prepareSchema(supervision)
  await markStarting(supervision, head)
  await takeOver(supervision)
  const end = await fillAndRun(supervision, lock, head)
  if (end.verdict === 'superseded') return null
  if (end.movedBackwards) await rebuildIfDevelopment(supervision)
  return end.reason
}

/** Reports why the chain isn't followed, and logs it once. */
function noteWaiting({ chain, log, report, status }: Supervision, problem: string): void {
  if (problem !== status().problem) log.warn({ chain: chain.name }, problem)
  report({ state: 'waiting', problem, pid: null })
}

/** Ponder would refuse: the schema's name stands for the code that was there at our start. */
async function checkSource({ chain, build, root }: Supervision): Promise<void> {
  if ((await computeBuildId(chain, root)) !== build)
    throw new ChainNotReadyError(
      'the source code has changed since the indexer was started: restart it',
    )
}

/** Makes sure that no Ponder writes the schema any more, and that no trigger follows its writes. */
async function takeOver({ pool, schema, chain }: Supervision): Promise<void> {
  if (!(await clearDeadPonderLock(pool, schema)))
    throw new ChainNotReadyError(
      `the previous Ponder of ${chain.name} still has open connections; waiting for them to close`,
    )
  await disablePonderTriggers(pool, schema)
}

async function waitForLock(supervision: Supervision): Promise<ChainLock | null> {
  const { databaseUrl, schema, chain, signal } = supervision
  const problem = `another indexer works on ${chain.name} (${schema}); waiting for it to end`
  while (!signal.aborted) {
    const lock = await takeChainLock(databaseUrl, schema)
    if (lock) {
      if (supervision.status().problem === problem) supervision.report({ problem: null })
      return lock
    }
    noteWaiting(supervision, problem)
    await sleep(LOCK_RETRY_MS, undefined, { signal }).catch(() => {})
  }
  return null
}

/** One Ponder, from filling the tables that it resumes to its end. */
async function fillAndRun(
  supervision: Supervision,
  lock: ChainLock,
  head: number,
): Promise<RunEnd> {
  const projection = await readProjectionStatus(supervision)
  const behind = head - (projection?.block ?? supervision.chain.startBlock)
  const source = await openProxiedChain(supervision)
  const isReady = projection?.isReady ?? false
  try {
    return await run(supervision, lock, { source, isReady, isShort: behind <= FEW_BLOCKS })
  } finally {
    await source.close()
  }
}

/** Runs Ponder over `source`, the chain behind our RPC proxy; we read the chain directly. */
async function run(
  supervision: Supervision,
  lock: ChainLock,
  { source, isReady, isShort }: { source: ProxiedChain; isReady: boolean; isShort: boolean },
): Promise<RunEnd> {
  const { chain, signal } = supervision
  const ponder = createPonder(supervision, source)
  supervision.report({ state: 'starting' })
  if (isShort) await ponder.start()
  const over = new AbortController()
  const whenStopped = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null)
    // Removed after this run, since the signal outlives many runs.
    signal.addEventListener('abort', () => resolve(null), { once: true, signal: over.signal })
  })
  const filled = backfillChain(supervision, {
    rpc: source.rpc,
    isReady,
    signal: AbortSignal.any([signal, over.signal]),
  })
  let end = ''
  const verdict = await Promise.race([
    // Rejects when the tables can't be filled; then Ponder has nothing to resume.
    filled.then(async (release) => {
      if (!isShort) collectGarbage()
      const [child] = await Promise.all([
        ponder.start(),
        createIndexes(supervision.pool, supervision.schema),
      ])
      child.release(release)
      return watchPonder(supervision, child, over.signal)
    }),
    ponder.ended.then(() => null),
    // Another supervisor may take the chain's schema now.
    lock.lost.then(() => Promise.reject(new Error(LOCK_LOST))),
    whenStopped,
    ponder.lostTheChain,
  ]).finally(async () => {
    over.abort()
    await filled.catch(() => {})
    end = await ponder.stop()
  })
  const { movedBackwards } = ponder
  return { verdict, reason: reasonOf(chain.name, verdict, end), movedBackwards }
}

/** A run's Ponder, started on first use. */
function createPonder(supervision: Supervision, { chain }: ProxiedChain) {
  const ended = Promise.withResolvers<string>()
  const lostTheChain = Promise.withResolvers<'forked'>()
  let started: Promise<PonderChild> | undefined
  const ponder = {
    /** Whether Ponder itself reported that the chain changed beneath it. */
    movedBackwards: false,
    ended: ended.promise,
    lostTheChain: lostTheChain.promise,
    start(): Promise<PonderChild> {
      started ??= startPonder({ ...supervision, chain, onLine }).then((child) => {
        supervision.report({ pid: child.pid })
        ended.resolve(child.ended)
        return child
      })
      return started
    },
    /** @returns how it ended */
    async stop(): Promise<string> {
      const child = await started?.catch(() => undefined)
      await child?.stop()
      return child?.ended ?? 'was not started'
    },
  }
  const onLine = (line: PonderLine) => {
    if (/unrecoverable reorg/i.test(line.msg)) lostTheChain.resolve('forked')
    if (/cannot move backwards/.test(messageOf(line))) ponder.movedBackwards = true
    relayPonderLine(supervision, line)
  }
  return ponder
}

/**
 * Frees a long fold's garbage now: an idle process would keep it, beside Ponder's memory, until its next collection.
 */
function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc')
  runInNewContext('gc')({ type: 'major', flavor: 'last-resort' })
}

function reasonOf(name: string, verdict: WatchVerdict | null, end: string): string {
  if (verdict === 'forked') return `${name} had a deeper reorg than its index can follow`
  if (verdict === 'stalled') return `the index of ${name} stalled while the chain advanced`
  return `Ponder of ${name} ${end}`
}

/**
 * Ponder refuses to start while the chain's final block is before the one it knew. A public chain will reach that block
 * again; a development node that restored a saved state may not.
 */
async function rebuildIfDevelopment(supervision: Supervision): Promise<void> {
  const { chain, log } = supervision
  const view = await probeChain(chain)
  if (!view.isDevelopment) throw new ChainNotReadyError(`${chain.name} is behind its final block`)
  log.warn({ chain: chain.name }, `${chain.name} was rolled back: rebuilding its index`)
  await rebuild(supervision, view)
}
