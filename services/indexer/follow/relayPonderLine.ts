import type { Supervision } from '../chainSupervision.ts'
import { isError, messageOf, type PonderLine } from '../ponder/startPonder.ts'

/**
 * Ponder repeats a failed query for two minutes before it ends. After so many repetitions, a second or two, the failure won't
 * pass by itself, as on a full disk.
 */
const REPETITIONS = 4

/** Logs Ponder's lines as ours, at a high level only where an operator has something to do. */
export function relayPonderLine(
  { chain, log, report, status }: Pick<Supervision, 'chain' | 'log' | 'report' | 'status'>,
  line: PonderLine,
): void {
  const isLasting = line.retry_count === REPETITIONS
  const words = messageOf(line)
  const level = isError(line) || isLasting ? 'warn' : 'debug'
  log[level]({ chain: chain.name }, `Ponder: ${words}`)
  // A live chain's next check says what its problem is.
  if (isLasting && status().state !== 'live') report({ problem: words })
}
