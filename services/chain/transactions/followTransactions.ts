import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { readNotice } from '../../store/changes/changeNotice.ts'
import type { Db } from '../../store/database/database.ts'
import { findTransaction } from './findTransaction.ts'
import { isOver, type Transaction, type TransactionState } from './transaction.ts'

/** A transaction's new state, as `app.notify_transaction` reports it. */
type TransactionNotice = {
  id: number
  chainId: number
  account: string
  state: TransactionState
}

export type TransactionFeed = {
  /**
   * Waits until the transaction has come at least so far or is over; its row as it is then, or as it
   * is when the patience ends (`problem` says what it waits for). Null when there is no such row.
   */
  awaitTransaction(
    id: number,
    options: { until: 'sent' | 'mined' | 'confirmed'; patienceMs: number },
  ): Promise<Transaction | null>
  stop(): Promise<void>
}

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5_000
/** How often a row is read again without a notice: the connection may be broken. */
const LOOK_AGAIN_MS = 1_000

const PROGRESS: readonly TransactionState[] = ['chosen', 'signed', 'sent', 'mined', 'confirmed']

/**
 * Follows every transaction's progress over its own connection, and reconnects when that breaks.
 *
 * @param db where the rows are read
 */
export function followTransactions(db: Db, databaseUrl: string): TransactionFeed {
  const stopping = new AbortController()
  const waiting = new Map<number, Set<() => void>>()
  const wake = (id: number) => {
    for (const look of waiting.get(id) ?? []) look()
  }
  const running = keepListening(databaseUrl, ({ id }) => wake(id), stopping.signal)

  /** Registers at once; resolves with the next notice about the transaction, or after a while. */
  async function nextNotice(id: number, patienceMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const listeners = waiting.get(id) ?? new Set()
    waiting.set(id, listeners.add(resolve))
    const timer = setTimeout(resolve, Math.min(patienceMs, LOOK_AGAIN_MS))
    await promise
    clearTimeout(timer)
    listeners.delete(resolve)
    if (listeners.size === 0) waiting.delete(id)
  }

  return {
    async awaitTransaction(id, { until, patienceMs }) {
      const deadline = performance.now() + patienceMs
      for (;;) {
        const left = Math.max(0, deadline - performance.now())
        // Before reading: a notice that comes meanwhile must not be missed.
        const notice = nextNotice(id, left)
        const row = await findTransaction(db, id)
        if (!row || isOver(row) || hasReached(row, until) || left === 0) return row
        await notice
      }
    },
    stop: async () => {
      stopping.abort()
      for (const id of waiting.keys()) wake(id)
      await running
    },
  }
}

function hasReached({ state }: Transaction, requested: TransactionState): boolean {
  return PROGRESS.indexOf(state) >= PROGRESS.indexOf(requested)
}

/** Listens on `cairn_transaction` until stopped. */
async function keepListening(
  databaseUrl: string,
  tell: (notice: TransactionNotice) => void,
  stop: AbortSignal,
): Promise<void> {
  let wait = FIRST_WAIT_MS
  while (!stop.aborted) {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'cairn_transaction_feed',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    })
    const ended = new Promise<void>((resolve) => {
      client.on('error', () => resolve())
      client.on('end', () => resolve())
    })
    const leave = () => void client.end().catch(() => {})
    stop.addEventListener('abort', leave)
    client.on('notification', ({ payload }) => {
      const notice = readNotice(payload, (text): TransactionNotice => ({ ...JSON.parse(text) }))
      if (notice) tell(notice)
    })
    try {
      await client.connect()
      await client.query('listen cairn_transaction')
      wait = FIRST_WAIT_MS
      await ended
    } catch {
      // Readers read again by themselves; the next round reconnects.
    }
    stop.removeEventListener('abort', leave)
    await client.end().catch(() => {})
    if (stop.aborted) return
    await pause(wait, undefined, { signal: stop }).catch(() => {})
    wait = Math.min(wait * 2, LONGEST_WAIT_MS)
  }
}
