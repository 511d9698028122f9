import { setTimeout as pause } from 'node:timers/promises'

/**
 * Does something again and again until it is stopped; what fails is told, and tried again.
 *
 * @param everyMs milliseconds from the beginning of one time to the beginning of the next
 */
export function repeatedly(
  everyMs: number,
  onTrouble: (error: unknown) => void,
  act: () => Promise<void>,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async () => {
    while (!signal.aborted) {
      const begun = performance.now()
      await act().catch((error: unknown) => {
        if (!signal.aborted) onTrouble(error)
      })
      const left = Math.max(1, everyMs - (performance.now() - begun))
      await pause(left, undefined, { signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
