import { LRUCache } from 'lru-cache'

/** The pause after a failure doubles each time. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000

/** Failed actions that are remembered: some, such as an outbid bid, are never tried again. */
const MOST_FAILED = 10_000

type Failed = { failures: number; until: number }

/** Runs each action once at a time, and pauses it after a failure. Kept in memory: it only saves needless attempts. */
export type Backoff = {
  /**
   * Runs an action unless it is running or pausing. Resolves when the action has ended or was skipped; never
   * rejects.
   */
  attempt(key: string, act: () => Promise<void>, onFailure: (error: unknown) => void): Promise<void>
  /** Resolves when no action is running. */
  idle(): Promise<void>
}

export function createBackoff(now: () => number = () => performance.now()): Backoff {
  const running = new Map<string, Promise<void>>()
  const failed = new LRUCache<string, Failed>({ max: MOST_FAILED })
  const pause = (key: string) => {
    const failures = (failed.get(key)?.failures ?? 0) + 1
    const length = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)
    failed.set(key, { failures, until: now() + length })
  }
  return {
    attempt: (key, act, onFailure) => {
      const current = running.get(key)
      if (current) return current
      if ((failed.get(key)?.until ?? 0) > now()) return Promise.resolve()
      const attempt = act()
        .then(
          () => void failed.delete(key),
          (error: unknown) => {
            pause(key)
            onFailure(error)
          },
        )
        .finally(() => running.delete(key))
      running.set(key, attempt)
      return attempt
    },
    idle: async () => {
      await Promise.all(running.values())
    },
  }
}
