import { setTimeout as pause } from 'node:timers/promises'
import { repeat } from '../../process/repeat.ts'
import { tryLockWhileAlive } from '../../store/database/advisoryLocks.ts'
import {
  createSingleConnection,
  runWhileConnected,
} from '../../store/database/openSingleConnection.ts'

type AccountLock = {
  isHeld(): boolean
  /** Whether another instance holds it. Without the database, neither is known. */
  isHeldElsewhere(): boolean
  stop(): Promise<void>
}

const RETRY_MS = 500

/**
 * Takes the account's lock as soon as it is free, and holds it while the connection lasts. PostgreSQL releases it
 * however the holder ends.
 *
 * @param options.silenceMs see `tryLockWhileAlive`
 * @param options.onWaiting called with true when another instance holds the lock, and with false once this one does
 */
export function holdAccountLock(
  databaseUrl: string,
  account: string,
  options: { silenceMs?: number; onWaiting?: (isWaiting: boolean) => void } = {},
): AccountLock {
  const { silenceMs, onWaiting = () => {} } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let [isHeld, isHeldElsewhere, isWaiting] = [false, false, false]
  const onTried = (isOurs: boolean) => {
    isHeld = isOurs
    isHeldElsewhere = !isOurs
    if (isWaiting === !isOurs) return
    isWaiting = !isOurs
    onWaiting(isWaiting)
  }
  const holdOnce = () =>
    hold({ databaseUrl, account, signal, onTried, silenceMs }).finally(() => {
      isHeld = false
      isHeldElsewhere = false
    })
  const holding = repeat(RETRY_MS, () => {}, holdOnce, { signal })
  return {
    isHeld: () => isHeld,
    isHeldElsewhere: () => isHeldElsewhere,
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
  onTried: (isOurs: boolean) => void
  silenceMs: number | undefined
}

async function hold({
  databaseUrl,
  account,
  signal,
  onTried,
  silenceMs,
}: HoldOptions): Promise<void> {
  const client = createSingleConnection(databaseUrl, 'cairn_solver_lock')
  await runWhileConnected(client, signal, async (ended) => {
    while (!signal.aborted) {
      const isOurs = await tryLockWhileAlive(client, 'solver', account, silenceMs)
      onTried(isOurs)
      if (isOurs) return ended
      await pause(RETRY_MS, undefined, { signal })
    }
  })
}
