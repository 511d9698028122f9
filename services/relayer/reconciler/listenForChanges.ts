import type { Repeated } from '../../process/repeat.ts'
import type { ChangeFeed } from '../../store/changes/changeFeed.ts'
import { listenToPostgres } from '../../store/changes/listenToPostgres.ts'
import { type IntentKey, intentName } from '../../store/intents/storedIntent.ts'
import { RECONCILE_CHANNEL } from '../terms/requestReconcile.ts'

/** Milliseconds within which an intent is queued only once, however many of its rows change. */
const GATHER_MS = 20

/**
 * Calls `onChange` with intents that changed: by a projected row, a stored bundle, or a request to reconcile. The
 * sweep finds what this misses.
 */
export function listenForChanges({
  databaseUrl,
  feed,
  onChange,
}: {
  databaseUrl: string
  feed: ChangeFeed
  onChange: (keys: readonly IntentKey[]) => void
}): Repeated {
  const gathered = new Map<string, IntentKey>()
  let timer: NodeJS.Timeout | undefined
  const gather = (key: IntentKey) => {
    if (gathered.size === 0) {
      timer = setTimeout(() => {
        const keys = [...gathered.values()]
        gathered.clear()
        onChange(keys)
      }, GATHER_MS)
    }
    gathered.set(intentName(key), key)
  }
  const leaveFeed = feed.subscribe((event) => {
    if (event.kind !== 'change') return
    const { sourceChainId, intentId } = event.change
    if (sourceChainId !== null && intentId !== null) gather({ sourceChainId, intentId })
  })
  const listening = listenToPostgres(
    { databaseUrl, name: 'cairn_changes', channels: [RECONCILE_CHANNEL] },
    keyIn,
    gather,
  )
  return {
    stop: async () => {
      leaveFeed()
      // Before the connection ends, which may take longer than gathering; and after it, for what it still brought.
      clearTimeout(timer)
      await listening.stop()
      clearTimeout(timer)
    },
  }
}

function keyIn(payload: string): IntentKey {
  const { sourceChainId, intentId } = JSON.parse(payload)
  return { sourceChainId: Number(sourceChainId), intentId: BigInt(intentId) }
}
