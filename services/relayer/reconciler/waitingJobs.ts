import type { IntentKey } from '../../store/intents/storedIntent.ts'

/** Intents whose jobs this process queued and that haven't started. */
type WaitingJobs = {
  /** Returns those that need queueing and marks them as waiting. */
  add(keys: readonly IntentKey[]): IntentKey[]
  /** A job started: it may miss any later change. */
  begun(key: IntentKey): void
  /** Queueing them failed. */
  forget(keys: readonly IntentKey[]): void
}

/**
 * Milliseconds for which a job counts as waiting. Another process may have taken it; that process gets changes
 * itself for as long as it runs.
 */
const WAITS_MS = 5_000

/** Tracks waiting jobs, so that an intent isn't queued once per change: its job reads all changes. */
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
