import { setTimeout as pause } from 'node:timers/promises'

export type Repeated = { stop(): Promise<void> }

/** Does something, waits, and does it again, until stopped; a failure is told and changes nothing. */
export function repeat(
  everyMs: number,
  onProblem: (error: unknown) => void,
  work: () => Promise<void>,
): Repeated {
  const stopping = new AbortController()
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await work().catch(onProblem)
      await pause(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
