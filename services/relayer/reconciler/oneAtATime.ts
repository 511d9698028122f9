import type { IntentKey } from '../../store/intents/storedIntent.ts'

/**
 * Works on each intent once at a time: a call during the work returns at once, and the work is
 * repeated after it has ended. So a slow intent holds one worker.
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
