import type { Client, ClientBase } from 'pg'
import { startHeartbeat } from './startHeartbeat.ts'

/**
 * Numbers of the advisory locks, in one place because locks with the same number would block each other. SQL functions also
 * use 4848203719, for the change log.
 */
export const ADVISORY_LOCKS = {
  /** Migrations of schema `app`. */
  migration: 4848203718,
  /** Replacing the views that readers see. */
  viewSwap: 4848203720,
  /** Writers of the journal of events. */
  journal: 4848203721,
} as const

/** First numbers of two-number locks; the second distinguishes locks of one class. */
export const ADVISORY_LOCK_CLASSES = {
  /** The indexer's supervisor, by schema. */
  indexer: 4848203,
  /** The sender of an account's transactions, by account and chain. */
  sender: 484820372,
  /** What the relayer spends on a chain for Safes' owners. */
  sponsoring: 484820373,
  /** The follower of transfers to a chain's Safes. */
  transfers: 484820379,
  /** The solver of an account. */
  solver: 484820380,
  /** Gas that the order service pays for an owner's calls. */
  ownersGas: 484820381,
  /** Gas that it pays on a chain and no fee covers, over all owners. */
  gasWithoutFee: 484820382,
  /** Deleting what nothing reads any more, by table. */
  pruning: 484820383,
} as const

/** Takes an advisory lock until the connection ends; false while another connection holds it. */
export async function tryLock(
  client: ClientBase,
  lock: keyof typeof ADVISORY_LOCK_CLASSES,
  name: string,
): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1, hashtext($2)) as taken', [
    ADVISORY_LOCK_CLASSES[lock],
    name,
  ])
  return rows[0].taken
}

/** Milliseconds without a sign of life after which the server frees a lock, and its holder gives it up. */
const SILENCE_MS = 60_000

/**
 * The same for a holder that may hang or vanish: one that is suspended or cut off loses the lock and its connection, while
 * TCP alone would notice after hours.
 */
export async function tryLockWhileAlive(
  client: Client,
  lock: keyof typeof ADVISORY_LOCK_CLASSES,
  name: string,
  silenceMs = SILENCE_MS,
): Promise<boolean> {
  if (!(await tryLock(client, lock, name))) return false
  await client.query(`set idle_session_timeout = ${silenceMs}`)
  await client.query(`set idle_in_transaction_session_timeout = ${silenceMs}`)
  const stop = startHeartbeat(silenceMs / 4, () => {
    const late = setTimeout(() => client.connection.stream.destroy(), silenceMs)
    return client.query('select 1').finally(() => clearTimeout(late))
  })
  client.once('end', stop)
  return true
}
