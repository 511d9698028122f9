import { listenToPostgres } from '../../store/changes/listenToPostgres.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { findTransaction } from './findTransaction.ts'
import { isOver, type Transaction, type TransactionState } from './transactionRow.ts'

export type TransactionFeed = {
  /**
   * Waits until the transaction has reached a state or ended, or `timeoutMs` is over. Returns its row as it is then
   * (`problem`: what it waits for); null if there is none.
   */
  awaitTransaction(
    id: number,
    options: { until: 'sent' | 'mined' | 'confirmed'; timeoutMs: number },
  ): Promise<Transaction | null>
  stop(): Promise<void>
}

/** Milliseconds until a row is read again without a notification, which a broken connection may have lost. */
const REREAD_MS = 1_000

const PROGRESS: readonly TransactionState[] = ['chosen', 'signed', 'sent', 'mined', 'confirmed']

/**
 * Follows the progress of transactions over a connection of its own, which it restores when it breaks.
 *
 * @param db reads the rows
 */
export function createTransactionFeed(db: Db, databaseUrl: string): TransactionFeed {
  const waiting = new Map<number, Set<() => void>>()
  const wake = (id: number) => {
    for (const resume of waiting.get(id) ?? []) resume()
  }
  const listening = listenToPostgres(
    { databaseUrl, name: 'cairn_transaction_feed', channels: ['cairn_transaction'] },
    (payload): number => JSON.parse(payload).id,
    wake,
  )

  /** Resolves at the next notification about the transaction, or after a while. */
  async function nextNotification(id: number, timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const listeners = waiting.get(id) ?? new Set()
    waiting.set(id, listeners.add(resolve))
    const timer = setTimeout(resolve, Math.min(timeoutMs, REREAD_MS))
    await promise
    clearTimeout(timer)
    listeners.delete(resolve)
    if (listeners.size === 0) waiting.delete(id)
  }

  return {
    async awaitTransaction(id, { until, timeoutMs }) {
      const deadline = performance.now() + timeoutMs
      for (;;) {
        const left = Math.max(0, deadline - performance.now())
        // Before reading, so that no notification is missed meanwhile.
        const notification = nextNotification(id, left)
        const row = await findTransaction(db, id)
        if (!row || isOver(row) || hasReached(row, until) || left === 0) return row
        await notification
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
