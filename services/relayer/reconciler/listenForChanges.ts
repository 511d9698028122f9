import pg from 'pg'
import { type Repeated, repeat } from '../../process/repeat.ts'
import type { ChangeFeed } from '../../store/changes/changeFeed.ts'
import { readNotice } from '../../store/changes/changeNotice.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'
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
  const gather = (key: IntentKey) => {
    if (gathered.size === 0) {
      setTimeout(() => {
        const keys = [...gathered.values()]
        gathered.clear()
        onChange(keys)
      }, GATHER_MS)
    }
    gathered.set(`${key.sourceChainId}:${key.intentId}`, key)
  }
  const leaveFeed = feed.subscribe((event) => {
    if (event.kind !== 'change') return
    const { sourceChainId, intentId } = event.change
    if (sourceChainId !== null && intentId !== null) gather({ sourceChainId, intentId })
  })
  let client: pg.Client | null = null
  const listening = repeat(
    500,
    () => {},
    async () => {
      client = new pg.Client({
        connectionString: databaseUrl,
        application_name: 'cairn_changes',
        connectionTimeoutMillis: 5_000,
        keepAlive: true,
      })
      const ended = new Promise<void>((resolve) => {
        client?.on('error', () => resolve())
        client?.on('end', () => resolve())
      })
      client.on('notification', ({ payload }) => {
        const key = readNotice(payload, keyIn)
        if (key) gather(key)
      })
      await client.connect()
      await client.query(`listen ${RECONCILE_CHANNEL}`)
      await ended
    },
  )
  return {
    stop: async () => {
      leaveFeed()
      const stopped = listening.stop()
      await client?.end().catch(() => {})
      await stopped
    },
  }
}

function keyIn(payload: string): IntentKey {
  const { sourceChainId, intentId } = JSON.parse(payload)
  return { sourceChainId: Number(sourceChainId), intentId: BigInt(intentId) }
}
