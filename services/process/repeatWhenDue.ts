import { setTimeout as pause } from 'node:timers/promises'
import { type Repeated, repeat } from './repeat.ts'

type WhenDueOptions = {
  /** Milliseconds after which it is due without a notice. */
  everyMs: number
  /** Milliseconds until it is tried again after a failure. */
  afterFailureMs: number
  onProblem: (error: unknown) => void
  /** Calls back whenever there may be something to do; returns a way to stop that. */
  listen: (onWork: () => void) => () => void
}

/**
 * Repeats `work` after each notice, and periodically: a lost notice only costs time. A notice during the
 * work makes it run once more.
 *
 * @param work calls `due` when it knows that there is more
 */
export function repeatWhenDue(
  { everyMs, afterFailureMs, onProblem, listen }: WhenDueOptions,
  work: (due: () => void) => Promise<void>,
): Repeated {
  const stopping = new AbortController()
  /** Aborted when it is due. */
  let notice = new AbortController()
  const due = () => notice.abort()
  due()
  const stopListening = listen(due)
  const wait = (milliseconds: number, signal: AbortSignal) =>
    pause(milliseconds, undefined, { signal }).catch(() => {})
  const run = async () => {
    await wait(everyMs, AbortSignal.any([notice.signal, stopping.signal]))
    if (stopping.signal.aborted) return
    notice = new AbortController()
    try {
      await work(due)
    } catch (error) {
      await wait(afterFailureMs, stopping.signal)
      due()
      throw error
    }
  }
  const running = repeat(0, onProblem, run, { signal: stopping.signal })
  return {
    stop: async () => {
      stopListening()
      stopping.abort()
      await running.ended
    },
  }
}
