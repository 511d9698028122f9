import { setTimeout as pause } from 'node:timers/promises'
import { type Repeated, repeat } from './repeat.ts'

type WhenDueOptions = {
  /** Milliseconds after which it is due without a notification. */
  everyMs: number
  /** Milliseconds until it is retried after a failure. */
  afterFailureMs: number
  onProblem: (error: unknown) => void
  /** Calls back whenever there may be work; returns a function that stops it. */
  listen: (onWork: () => void) => () => void
}

/**
 * Repeats `work` after each notification, and periodically: a lost notification only costs time. A notification during
 * the work runs it once more.
 *
 * @param work calls `due` when there is more
 */
export function repeatWhenNotified(
  { everyMs, afterFailureMs, onProblem, listen }: WhenDueOptions,
  work: (due: () => void) => Promise<void>,
): Repeated {
  /** Aborted when it is due. */
  let notice = new AbortController()
  const due = () => notice.abort()
  due()
  const stopListening = listen(due)
  const wait = (milliseconds: number, signal: AbortSignal) =>
    pause(milliseconds, undefined, { signal }).catch(() => {})
  const running = repeat(0, onProblem, async (stop) => {
    await wait(everyMs, AbortSignal.any([notice.signal, stop]))
    if (stop.aborted) return
    notice = new AbortController()
    try {
      await work(due)
    } catch (error) {
      await wait(afterFailureMs, stop)
      due()
      throw error
    }
  })
  return {
    stop: async () => {
      stopListening()
      await running.stop()
    },
  }
}
