import { setTimeout as pause } from 'node:timers/promises'

/** Resolves when the work under way has ended; no more starts. */
export type Repeated = { stop(): Promise<void> }

/**
 * Repeats `work` until it is stopped. A failure is reported and doesn't end it; failures of work that
 * was under way at the stop are not reported.
 *
 * `ended` resolves after `stop`, or after `signal` was aborted.
 *
 * @param everyMs milliseconds between the end of one run and the beginning of the next; from beginning to
 *   beginning with `fromBeginning`, and then never less than 1
 */
export function repeat(
  everyMs: number,
  onProblem: (error: unknown) => void,
  work: () => Promise<void>,
  { fromBeginning = false, signal: outer }: { fromBeginning?: boolean; signal?: AbortSignal } = {},
): Repeated & { ended: Promise<void> } {
  const stopping = new AbortController()
  const signal = outer ? AbortSignal.any([stopping.signal, outer]) : stopping.signal
  const running = (async () => {
    while (!signal.aborted) {
      const began = performance.now()
      await work().catch((error: unknown) => {
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
