import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { Address } from 'viem'
import { tryLock } from '../../store/database/advisoryLocks.ts'
import { createSingleConnection } from '../../store/database/openSingleConnection.ts'
import { serializeQueries } from '../../store/database/serializeQueries.ts'

/** The exclusive right to send an account's transactions on a chain, held while PostgreSQL answers. */
type SenderLease = {
  /** The connection that holds the lock. The holder sends only what it has written through this connection. */
  db: pg.Client
  /** @throws when another process may be sending by now */
  requireHeld(): void
  /** Releases the lease if it is still held. */
  release(): Promise<void>
}

type LeaseOptions = {
  databaseUrl: string
  account: Address
  chainId: number
  /** Identifies the sender over all of its connections. */
  holder: string
  /** Milliseconds without an answer from the database after which the holder stops sending. */
  leaseMs: number
  stop: AbortSignal
  /** Called once, when the lease is lost. */
  onLost(): void
  onNotification(payload: string): void
  /** Called while another process holds it. */
  onWaiting(): void
}

/** Milliseconds between attempts to take a lock that another process holds. */
const RETRY_MS = 500

/**
 * Waits for the account's advisory lock, which one connection can hold and PostgreSQL frees when that ends.
 *
 * The holder sends a heartbeat query four times in `leaseMs`, and stops sending transactions after `leaseMs` without an
 * answer. The server ends a session that is silent for twice as long (a hung process, a split network). The next holder
 * waits for `leaseMs`, unless the previous one released the lock, so that the previous one has certainly stopped.
 *
 * @returns null if `stop` is aborted first
 */
export async function acquireLease(options: LeaseOptions): Promise<SenderLease | null> {
  const connection = await connect(options)
  try {
    const isHeld = await waitForLock(connection.db, options)
    if (isHeld) return { ...connection, release: () => releaseLock(connection, options) }
  } catch (error) {
    await connection.end()
    throw error
  }
  await connection.end()
  return null
}

type LeaseConnection = Omit<SenderLease, 'release'> & { end(): Promise<void> }

/** A connection that notices when it is dead, even without an error. */
async function connect({
  databaseUrl,
  leaseMs,
  onLost,
  onNotification,
}: LeaseOptions): Promise<LeaseConnection> {
  const db = createSingleConnection(databaseUrl, 'cairn_sender')
  let lost: Error | null = null
  let hasEnded = false
  let answeredAt = performance.now()
  const lose = (reason: string) => {
    if (lost || hasEnded) return
    lost = new Error(`the sender’s lease is lost: ${reason}; another process may hold it by now`)
    onLost()
    // Fails pending queries at once, without waiting for the server.
    db.connection.stream.destroy()
  }
  const checkSilence = () => {
    if (performance.now() - answeredAt > leaseMs)
      lose(`the database has not answered for ${leaseMs} ms`)
  }
  const heartbeat = async () => {
    checkSilence()
    if (lost) return
    const sentAt = performance.now()
    await db.query('select 1')
    answeredAt = sentAt
  }
  db.on('error', (error) => lose(error.message))
  db.on('end', () => lose('the connection was closed'))
  db.on('notification', ({ payload }) => onNotification(payload ?? ''))
  let timer: NodeJS.Timeout | undefined
  const end = async () => {
    hasEnded = true
    clearInterval(timer)
    if (!lost) await db.end().catch(() => {})
  }
  try {
    await db.connect()
    serializeQueries(db)
    answeredAt = performance.now()
    timer = setInterval(() => void heartbeat().catch(() => {}), leaseMs / 4)
    await db.query(`set idle_session_timeout = ${2 * leaseMs}`)
    await db.query(`set idle_in_transaction_session_timeout = ${2 * leaseMs}`)
    await db.query('listen cairn_transaction')
  } catch (error) {
    await end()
    throw error
  }
  return {
    db,
    requireHeld() {
      checkSilence()
      if (lost) throw lost
    },
    end,
  }
}

async function waitForLock(db: pg.Client, options: LeaseOptions): Promise<boolean> {
  const { account, chainId, holder, leaseMs, stop } = options
  while (!(await tryLock(db, 'sender', `${account}:${chainId}`))) {
    options.onWaiting()
    await pause(RETRY_MS, undefined, { signal: stop }).catch(() => {})
    if (stop.aborted) return false
  }
  const { rows } = await db.query(
    'select holder, released_at as "releasedAt" from app.sender where account = $1 and chain_id = $2',
    [account, chainId],
  )
  const [previous] = rows
  if (previous && previous.releasedAt === null && previous.holder !== holder) {
    await pause(leaseMs, undefined, { signal: stop }).catch(() => {})
    if (stop.aborted) return false
  }
  await db.query(
    `insert into app.sender (account, chain_id, holder) values ($1, $2, $3)
     on conflict (account, chain_id) do update
       set holder = excluded.holder, taken_at = clock_timestamp(), released_at = null`,
    [account, chainId, holder],
  )
  return true
}

/** Records the release, so that the next holder needn't wait. */
async function releaseLock(
  { db, end }: LeaseConnection,
  { account, chainId, holder }: LeaseOptions,
): Promise<void> {
  await db
    .query(
      `update app.sender set released_at = clock_timestamp()
       where account = $1 and chain_id = $2 and holder = $3`,
      [account, chainId, holder],
    )
    .catch(() => {})
  await end()
}
