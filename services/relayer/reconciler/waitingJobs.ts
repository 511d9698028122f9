import type { IntentKey } from '../../store/intents/storedIntent.ts'

/** Intents whose jobs this process has put into the queue and that haven't begun. */
export type WaitingJobs = {
  /** Those that have to be queued; they count as waiting from now on. */
  add(keys: readonly IntentKey[]): IntentKey[]
  /** A job has begun: whatever changes from now on, it may have missed. */
  begun(key: IntentKey): void
  /** They were not queued after all. */
  forget(keys: readonly IntentKey[]): void
}

/**
 * Milliseconds for which a job counts as waiting. Another process may have taken it, and that one hears of
 * changes itself, as long as it lives.
 */
const WAITS_MS = 5_000

/** Remembers them, so that an intent isn't queued again for each of its changes: its job reads them all. */
export function createWaitingJobs(
  now: () => number = performance.now.bind(performance),
): WaitingJobs {
  const since = new Map<string, number>()
  return {
    add(keys) {
      const time = now()
      const fresh = keys.filter((key) => time - (since.get(nameOf(key)) ?? -WAITS_MS) >= WAITS_MS)
      for (const key of fresh) since.set(nameOf(key), time)
      return fresh
    },
    begun: (key) => void since.delete(nameOf(key)),
    forget(keys) {
      for (const key of keys) since.delete(nameOf(key))
    },
  }
}

function nameOf({ sourceChainId, intentId }: IntentKey): string {
  return `${sourceChainId}:${intentId}`
}
