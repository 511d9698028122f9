import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { ADVISORY_LOCK_CLASSES } from '../../store/database/advisoryLocks.ts'

type Turn = {
  /** Whether this process is the one that decides. */
  isOurs(): boolean
  stop(): Promise<void>
}

const RETRY_MS = 500

/**
 * Waits for the account's lock, and holds it for as long as the connection lasts. PostgreSQL frees it
 * when the holder ends, however it ends.
 */
export function waitForAccountLock(databaseUrl: string, account: string): Turn {
  const stopping = new AbortController()
  const { signal } = stopping
  let isOurs = false
  const run = async () => {
    while (!signal.aborted) {
      await hold(databaseUrl, account, signal, () => {
        isOurs = true
      }).catch(() => {})
      isOurs = false
      await pause(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    isOurs: () => isOurs,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

async function hold(
  databaseUrl: string,
  account: string,
  signal: AbortSignal,
  onHeld: () => void,
): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'cairn_solver',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  })
  const lost = Promise.withResolvers<void>()
  client.on('error', () => lost.resolve())
  client.on('end', () => lost.resolve())
  signal.addEventListener('abort', () => lost.resolve(), { once: true })
  try {
    await client.connect()
    while (!signal.aborted) {
      const { rows } = await client.query('select pg_try_advisory_lock($1, hashtext($2)) as held', [
        ADVISORY_LOCK_CLASSES.solver,
        account,
      ])
      if (rows[0].held) {
        onHeld()
        await lost.promise
        return
      }
      await Promise.race([pause(RETRY_MS), lost.promise])
    }
  } finally {
    await client.end().catch(() => {})
  }
}
