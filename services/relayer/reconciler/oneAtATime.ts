import type { IntentKey } from '../../store/intents/storedIntent.ts'

/**
 * Works on one intent once at a time: whoever comes while it is being worked on leaves at once, and
 * the work is done once more after it has ended. So an intent that is slow holds one worker.
 */
export function oneAtATime(
  work: (key: IntentKey) => Promise<void>,
): (key: IntentKey) => Promise<void> {
  const atWork = new Map<string, { again: boolean }>()
  return async (key) => {
    const name = `${key.sourceChainId}:${key.intentId}`
    const running = atWork.get(name)
    if (running) {
      running.again = true
      return
    }
    const state = { again: true }
    atWork.set(name, state)
    try {
      while (state.again) {
        state.again = false
        await work(key)
      }
    } finally {
      atWork.delete(name)
    }
  }
}
