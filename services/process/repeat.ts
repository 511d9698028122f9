import { setTimeout as pause } from 'node:timers/promises'

/** Stops repeating; resolves when the current run has ended. */
export type Repeated = { stop(): Promise<void> }

/**
 * Repeats `work` until it is stopped. Failures are reported and don't stop it, except that a failure of the run during
 * the stop isn't reported.
 *
 * `ended` resolves after `stop`, or after `signal` was aborted.
 *
 * @param everyMs milliseconds from the end of one run to the start of the next; with `fromBeginning`, from start to
 *   start, and then at least 1
 * @param work given a signal that is aborted when it stops
 */
export function repeat(
  everyMs: number,
  onProblem: (error: unknown) => void,
  work: (signal: AbortSignal) => Promise<void>,
  { fromBeginning = false, signal: outer }: { fromBeginning?: boolean; signal?: AbortSignal } = {},
): Repeated & { ended: Promise<void> } {
  const stopping = new AbortController()
  const signal = outer ? AbortSignal.any([stopping.signal, outer]) : stopping.signal
  const running = (async () => {
    while (!signal.aborted) {
      const began = performance.now()
      await work(signal).catch((error: unknown) => {
        if (!signal.aborted) onProblem(error)
      })
      const left = fromBeginning ? Math.max(1, everyMs - (performance.now() - began)) : everyMs
      await pause(left, undefined, { signal }).catch(() => {})
    }
  })()
  return {
    ended: running,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
