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
  let isDue = true
  let isStopped = false
  let wake = () => {}
  const due = () => {
    isDue = true
    wake()
  }
  const stopListening = listen(due)
  const waitUpTo = (milliseconds: number, isOver: () => boolean) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      wake = () => {
        if (!isOver()) return
        clearTimeout(timer)
        resolve()
      }
      wake()
    })
  const running = repeat(0, onProblem, async () => {
    await waitUpTo(everyMs, () => isDue || isStopped)
    if (isStopped) return
    isDue = false
    try {
      await work(due)
    } catch (error) {
      await waitUpTo(afterFailureMs, () => isStopped)
      isDue = true
      throw error
    }
  })
  return {
    stop: async () => {
      isStopped = true
      stopListening()
      const ended = running.stop()
      wake()
      await ended
    },
  }
}
