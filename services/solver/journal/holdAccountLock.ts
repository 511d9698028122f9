import { setTimeout as pause } from 'node:timers/promises'
import { repeat } from '../../process/repeat.ts'
import { tryLockWhileAlive } from '../../store/database/advisoryLocks.ts'
import {
  createSingleConnection,
  runWhileConnected,
} from '../../store/database/openSingleConnection.ts'

type AccountLock = {
  isHeld(): boolean
  stop(): Promise<void>
}

const RETRY_MS = 500

/**
 * Takes the account's lock as soon as it is free, and holds it while the connection lasts. PostgreSQL releases it
 * however the holder ends.
 *
 * @param silenceMs see `tryLockWhileAlive`
 */
export function holdAccountLock(
  databaseUrl: string,
  account: string,
  silenceMs?: number,
): AccountLock {
  const stopping = new AbortController()
  const { signal } = stopping
  let isHeld = false
  const onHeld = () => {
    isHeld = true
  }
  const holdOnce = () =>
    hold({ databaseUrl, account, signal, onHeld, silenceMs }).finally(() => {
      isHeld = false
    })
  const holding = repeat(RETRY_MS, () => {}, holdOnce, { signal })
  return {
    isHeld: () => isHeld,
    stop: async () => {
      stopping.abort()
      await holding.ended
    },
  }
}

type HoldOptions = {
  databaseUrl: string
  account: string
  signal: AbortSignal
  onHeld: () => void
  silenceMs: number | undefined
}

async function hold({
  databaseUrl,
  account,
  signal,
  onHeld,
  silenceMs,
}: HoldOptions): Promise<void> {
  const client = createSingleConnection(databaseUrl, 'cairn_solver_lock')
  await runWhileConnected(client, signal, async (ended) => {
    while (!signal.aborted) {
      if (await tryLockWhileAlive(client, 'solver', account, silenceMs)) {
        onHeld()
        return ended
      }
      await pause(RETRY_MS, undefined, { signal })
    }
  })
}
