import { type Repeated, repeat } from '../../process/repeat.ts'
import { createSingleConnection, runWhileConnected } from '../database/openSingleConnection.ts'
import { readNotice } from './changeNotificationPayloads.ts'

/** Milliseconds until a broken connection is restored. */
const RETRY_MS = 500

/**
 * Calls `onNotice` with each well-formed notification on some channels, over a connection of its own. Reconnects when that
 * breaks; notifications in between are lost.
 */
export function listenToPostgres<Notice>(
  { databaseUrl, name, channels }: { databaseUrl: string; name: string; channels: string[] },
  read: (payload: string) => Notice,
  onNotice: (notice: Notice) => void,
): Repeated {
  const stopping = new AbortController()
  const listen = async () => {
    const client = createSingleConnection(databaseUrl, name)
    client.on('notification', ({ payload }) => {
      const notice = readNotice(payload, read)
      if (notice !== null) onNotice(notice)
    })
    await runWhileConnected(client, stopping.signal, async (ended) => {
      for (const channel of channels) await client.query(`listen ${channel}`)
      await ended
    })
  }
  const listening = repeat(RETRY_MS, () => {}, listen, { signal: stopping.signal })
  return {
    stop: async () => {
      stopping.abort()
      await listening.ended
    },
  }
}
