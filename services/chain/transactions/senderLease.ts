import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Address } from 'viem'
import { ADVISORY_LOCK_CLASSES } from '../../store/database/advisoryLocks.ts'
import { parseColumn } from '../../store/database/columns.ts'

/** The right to send an account's transactions on a chain, as long as PostgreSQL answers. */
type SenderLease = {
  /** The connection that holds the lock. What it can't write, its holder doesn't send. */
  db: pg.Client
  /** @throws LeaseLostError when another process may be sending by now */
  requireHeld(): void
  /** Releases it, if it is still held. */
  end(): Promise<void>
}

/** The connection that held the lock is gone, or hasn't answered for too long. */
class LeaseLostError extends Error {
  override name = 'LeaseLostError'

  constructor(why: string) {
    super(`the right to send is lost: ${why}; another process may have it by now`)
  }
}

type LeaseOptions = {
  databaseUrl: string
  account: Address
  chainId: number
  /** Names the sender; the same on each of its connections. */
  holder: string
  /** Milliseconds without an answer of the database after which the holder stops sending. */
  leaseMs: number
  stop: AbortSignal
  /** Called once, when the lease is lost. */
  onLost(): void
  onNotice(payload: string): void
  /** Called while another process holds it. */
  onWaiting(): void
}

/** Milliseconds between tries for a lock that another has. */
const RETRY_MS = 500

/**
 * Waits for the account's lock, which one connection can hold and PostgreSQL frees when that ends.
 *
 * The holder asks PostgreSQL for an answer four times in `leaseMs` and stops sending when none has come
 * for that long. The server ends a session that is silent for twice as long (its process hangs, the
 * network is split). The next holder waits for `leaseMs`, unless the last one released the lock, so
 * that one has stopped before the next begins.
 *
 * @returns null when `stop` comes first
 */
export async function takeLease(options: LeaseOptions): Promise<SenderLease | null> {
  const connection = await connect(options)
  try {
    const isOurs = await waitForLock(connection.db, options)
    if (isOurs) return { ...connection, end: () => leave(connection, options) }
  } catch (error) {
    await connection.end()
    throw error
  }
  await connection.end()
  return null
}

/** A connection that notices when it is dead, even without an error. */
async function connect({
  databaseUrl,
  leaseMs,
  onLost,
  onNotice,
}: LeaseOptions): Promise<SenderLease> {
  const db = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'cairn_sender',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    types: { getTypeParser: parseColumn },
  })
  let lost: LeaseLostError | null = null
  let isOver = false
  let answeredAt = performance.now()
  const lose = (why: string) => {
    if (lost || isOver) return
    lost = new LeaseLostError(why)
    onLost()
    // Queries that wait for an answer fail at once, and nothing waits for a goodbye.
    db.connection.stream.destroy()
  }
  const silence = () => performance.now() - answeredAt
  const heartbeat = async () => {
    if (lost) return
    if (silence() > leaseMs) return lose(`the database has not answered for ${leaseMs} ms`)
    const askedAt = performance.now()
    await db.query('select 1')
    answeredAt = askedAt
  }
  db.on('error', (error) => lose(error.message))
  db.on('end', () => lose('the connection was closed'))
  db.on('notification', ({ payload }) => onNotice(payload ?? ''))
  let timer: NodeJS.Timeout | undefined
  const end = async () => {
    isOver = true
    clearInterval(timer)
    if (!lost) await db.end().catch(() => {})
  }
  try {
    await db.connect()
    takeTurns(db)
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
      if (!lost && silence() > leaseMs) lose(`the database has not answered for ${leaseMs} ms`)
      if (lost) throw lost
    },
    end,
  }
}

/** A heartbeat comes at any moment: each query waits for the answer to the one before. */
function takeTurns(db: pg.Client): void {
  const query = db.query.bind(db) as (...given: unknown[]) => Promise<unknown>
  let last: Promise<unknown> = Promise.resolve()
  const queryInTurn = (...given: unknown[]) => {
    const answer = last.then(() => query(...given))
    last = answer.catch(() => {})
    return answer
  }
  db.query = queryInTurn as typeof db.query
}

async function waitForLock(db: pg.Client, options: LeaseOptions): Promise<boolean> {
  const { account, chainId, holder, leaseMs, stop } = options
  while (!(await takeLock(db, options))) {
    options.onWaiting()
    await pause(RETRY_MS, undefined, { signal: stop }).catch(() => {})
    if (stop.aborted) return false
  }
  const { rows } = await db.query(
    'select holder, released_at as "releasedAt" from app.sender where account = $1 and chain_id = $2',
    [account, chainId],
  )
  const [last] = rows
  if (last && last.releasedAt === null && last.holder !== holder) {
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

async function takeLock(db: pg.Client, { account, chainId }: LeaseOptions): Promise<boolean> {
  const { rows } = await db.query('select pg_try_advisory_lock($1, hashtext($2)) as taken', [
    ADVISORY_LOCK_CLASSES.sender,
    `${account}:${chainId}`,
  ])
  return rows[0].taken
}

/** Records that it released the lock, so that nobody waits for it. */
async function leave(
  { db, end }: SenderLease,
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
