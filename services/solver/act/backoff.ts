/**
 * The pause after a failure: it doubles with each failure, from the first to the longest (milliseconds).
 */
const FIRST_REST = 500
const LONGEST_REST = 10_000

/**
 * What is being tried, and when it may be tried again. In memory only: it just avoids needless
 * attempts.
 */
export type Backoff = {
  /**
   * Does something unless it is being done already or is in its pause after a failure. Resolves when
   * it is done or refused, and never rejects.
   */
  attempt(key: string, act: () => Promise<void>, onFailure: (error: unknown) => void): Promise<void>
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>
}

export function createBackoff(now: () => number = () => performance.now()): Backoff {
  const busy = new Map<string, Promise<void>>()
  const resting = new Map<string, { failures: number; until: number }>()
  const rest = (key: string) => {
    const failures = (resting.get(key)?.failures ?? 0) + 1
    const length = Math.min(FIRST_REST * 2 ** (failures - 1), LONGEST_REST)
    resting.set(key, { failures, until: now() + length })
  }
  return {
    attempt: (key, act, onFailure) => {
      const current = busy.get(key)
      if (current) return current
      if ((resting.get(key)?.until ?? 0) > now()) return Promise.resolve()
      const doing = act()
        .then(
          () => void resting.delete(key),
          (error: unknown) => {
            rest(key)
            onFailure(error)
          },
        )
        .finally(() => busy.delete(key))
      busy.set(key, doing)
      return doing
    },
    idle: async () => {
      await Promise.all(busy.values())
    },
  }
}
