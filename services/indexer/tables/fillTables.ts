import { foldFinal } from '../fold/foldFinal.ts'
import type { ChainSource } from '../prefill/openSource.ts'
import type { Supervision } from '../supervision.ts'

/** What the filled cache counts for in the progress of a first backfill, and what its fold; Ponder's start is the rest. */
const PREFILL_SHARE = 0.5
const FOLD_SHARE = 0.45

/**
 * A Ponder needs about this long from its release until it asks for the chain, in milliseconds: no longer than
 * our own process needed to come this far, twice, which tells how fast and how busy the machine is.
 */
const PONDER_LEAD_MS = Math.min(Math.max(2 * performance.now(), 3_000), 20_000)
/** Events a second that a fold does at least, for guessing how long it will take. */
const FOLD_RATE = 15_000

/**
 * Fills Ponder's cache and, on a schema that was never ready, folds it into the chain's tables; reports how
 * far that is.
 *
 * @param onNearlyDone called, again and again, once little enough is left for a Ponder released now not to wait long
 * @throws on database errors, and the signal's reason when it is aborted
 */
export async function fillTables(
  supervision: Supervision,
  {
    source,
    isReady,
    signal,
    onNearlyDone,
  }: { source: ChainSource; isReady: boolean; signal: AbortSignal; onNearlyDone: () => void },
): Promise<void> {
  const { report, status } = supervision
  const reportShare = (share: number) => {
    const progress = Math.max(status().progress, share)
    if (isReady) report({ state: 'resuming', problem: null })
    else report({ state: 'backfilling', progress, problem: null })
  }
  const { status: cache } = await source.fill(
    signal,
    ({ doneBlocks, totalBlocks, logs, elapsedMs }) => {
      const share = totalBlocks === 0 ? 1 : doneBlocks / totalBlocks
      reportShare(share * PREFILL_SHARE)
      const foldMs = isReady ? 0 : (1_000 * logs) / share / FOLD_RATE
      if (timeLeft(elapsedMs, share) + foldMs < PONDER_LEAD_MS) onNearlyDone()
    },
  )
  // A cache of another chain is no history to fold: verifyChain will have it emptied.
  if (isReady || cache === 'contradicted') return
  const begun = performance.now()
  await foldFinal(supervision, signal, (share) => {
    reportShare(PREFILL_SHARE + share * FOLD_SHARE)
    if (timeLeft(performance.now() - begun, share) < PONDER_LEAD_MS) onNearlyDone()
  })
}

/** Milliseconds that the rest of some work will take, if it goes on as it went so far. */
function timeLeft(elapsedMs: number, share: number): number {
  return share > 0 ? (elapsedMs * (1 - share)) / share : Number.POSITIVE_INFINITY
}
