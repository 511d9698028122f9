import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import type { Supervision } from '../chainSupervision.ts'
import { type FoldProgress, type FoldResult, foldHistory } from '../fold/foldHistory.ts'
import type { Release } from '../ponder/awaitPonderStartSignal.ts'

/** The fold's share of a first backfill's progress; the rest is Ponder's start. */
const FOLD_SHARE = 0.95
const LOG_EVERY_MS = 5_000
const REPORT_EVERY_MS = 500
/**
 * Milliseconds that an aborted fold may take to end. One whose database's host has vanished never would, and two folds of
 * one schema don't overwrite each other.
 */
const ENDING_MS = 10_000

/**
 * Fills the chain's tables up to Ponder's final block and reports the progress.
 *
 * @returns where Ponder starts
 * @throws database errors, and the signal's reason when aborted. Failures of providers are logged and left to Ponder.
 */
export async function backfillChain(
  supervision: Supervision,
  { rpc, isReady, signal }: { rpc: RpcPool; isReady: boolean; signal: AbortSignal },
): Promise<Release> {
  const { chain, log, report, status } = supervision
  const toReport = ({ doneBlocks, totalBlocks }: FoldProgress) => {
    const share = Math.max(status().progress, (FOLD_SHARE * doneBlocks) / totalBlocks)
    if (isReady) report({ state: 'resuming', problem: null })
    else report({ state: 'backfilling', progress: share, problem: null })
  }
  const reportSometimes = throttled(REPORT_EVERY_MS, Number.NEGATIVE_INFINITY, toReport)
  const logSometimes = throttled(LOG_EVERY_MS, performance.now(), (progress: FoldProgress) =>
    log.info({ chain: chain.name }, formatFoldProgress(progress)),
  )
  const folding = foldHistory({
    ...supervision,
    rpc,
    signal,
    onProgress: (progress) => {
      logSometimes(progress)
      // However soon after the previous line: the next stage starts from the end.
      if (progress.doneBlocks === progress.totalBlocks) toReport(progress)
      else reportSometimes(progress)
    },
  })
  const result = await Promise.race([folding, rejectLate(signal)])
  const { level, text } = describe(chain.name, result)
  log[level]({ chain: chain.name }, text)
  return { startBlock: result.startBlock, isFolded: result.status === 'folded' }
}

/** Rejects some time after the signal was aborted. */
function rejectLate(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const wait = () => setTimeout(() => reject(signal.reason), ENDING_MS).unref()
    if (signal.aborted) wait()
    else signal.addEventListener('abort', wait, { once: true })
  })
}

/** A fold's end as one log line, and its level. */
function describe(
  chain: string,
  result: FoldResult,
): { level: 'debug' | 'info' | 'warn'; text: string } {
  const { events, ranges, confirmedRanges, elapsedMs, startBlock } = result
  if (result.status !== 'folded')
    return { level: 'warn', text: `${chain}: Ponder fetches what is missing: ${result.reason}` }
  const seconds = (elapsedMs / 1000).toFixed(1)
  const confirmed = `${confirmedRanges} of ${ranges} ranges confirmed by a second provider`
  const text = `${chain}: folded ${events} events up to block ${startBlock - 1} in ${seconds} s (${confirmed})`
  return { level: ranges === 0 ? 'debug' : 'info', text }
}

function throttled<T>(everyMs: number, since: number, act: (value: T) => void): (value: T) => void {
  let last = since
  return (value) => {
    if (performance.now() - last < everyMs) return
    last = performance.now()
    act(value)
  }
}

const barWidth = 24

/** One line: a bar, the completed share, events, speed and remaining time. */
export function formatFoldProgress(progress: FoldProgress): string {
  const { chain, doneBlocks, totalBlocks, events, elapsedMs } = progress
  const share = totalBlocks === 0 ? 1 : doneBlocks / totalBlocks
  const filled = Math.round(share * barWidth)
  const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
  const seconds = elapsedMs / 1000
  const speed = seconds > 0 ? Math.round(events / seconds) : 0
  const left =
    share > 0 && share < 1 ? `, ${formatSeconds((seconds / share) * (1 - share))} left` : ''
  const percent = `${Math.floor(share * 100)} %`
  return `${chain} ${bar} ${percent} of ${totalBlocks} blocks, ${events} events (${speed}/s)${left}`
}

function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
