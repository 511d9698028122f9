import { listenToPostgres } from '../../store/changes/listenToPostgres.ts'
import type { Db } from '../../store/database/database.ts'
import { findTransaction } from './findTransaction.ts'
import { isOver, type Transaction, type TransactionState } from './transaction.ts'

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

/** How often a row is read again without a notice: the connection may be broken. */
const LOOK_AGAIN_MS = 1_000

const PROGRESS: readonly TransactionState[] = ['chosen', 'signed', 'sent', 'mined', 'confirmed']

/**
 * Follows every transaction's progress over its own connection, and reconnects when that breaks.
 *
 * @param db where the rows are read
 */
export function transactionFeed(db: Db, databaseUrl: string): TransactionFeed {
  const waiting = new Map<number, Set<() => void>>()
  const wake = (id: number) => {
    for (const look of waiting.get(id) ?? []) look()
  }
  const listening = listenToPostgres(
    { databaseUrl, name: 'cairn_transaction_feed', channels: ['cairn_transaction'] },
    (payload): number => JSON.parse(payload).id,
    wake,
  )

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
      for (const id of waiting.keys()) wake(id)
      await listening.stop()
    },
  }
}

function hasReached({ state }: Transaction, requested: TransactionState): boolean {
  return PROGRESS.indexOf(state) >= PROGRESS.indexOf(requested)
}
