import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { ADVISORY_LOCK_CLASSES } from '../../store/database/advisoryLocks.ts'

type AccountLock = {
  isHeld(): boolean
  stop(): Promise<void>
}

const RETRY_MS = 500

/**
 * Takes the account's lock as soon as it is free, and holds it while the connection lasts. PostgreSQL releases it
 * however the holder ends.
 */
export function holdAccountLock(databaseUrl: string, account: string): AccountLock {
  const stopping = new AbortController()
  const { signal } = stopping
  let isHeld = false
  const run = async () => {
    while (!signal.aborted) {
      await hold(databaseUrl, account, signal, () => {
        isHeld = true
      }).catch(() => {})
      isHeld = false
      await pause(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    isHeld: () => isHeld,
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
