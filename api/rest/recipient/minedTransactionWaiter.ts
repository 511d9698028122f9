import DataLoader from 'dataloader'
import { sql } from 'kysely'
import { findTransaction } from '../../../services/chain/transactions/findTransaction.ts'
import {
  isOver,
  TRANSACTION_COLUMNS,
  type Transaction,
} from '../../../services/chain/transactions/transactionRow.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import { createWaiterPool } from '../intents/waiterPool.ts'

export type MinedTransactionsOptions = {
  /** Milliseconds that a caller waits at most. Default 20,000. */
  timeoutMs?: number
  /** Transactions waited for at once. Default 200. */
  atOnce?: number
  /** Requests of one client that wait at once. Default 16. */
  perClient?: number
}

export type MinedTransactionWaiter = {
  /**
   * The transaction once it is mined or has failed, or in its current state if that takes too long or too many
   * are waited for already. Null if it doesn't exist.
   *
   * @param client address by which the caller is rate-limited
   * @throws ApiError `RATE_LIMITED`
   */
  wait(id: number, client: string): Promise<Transaction | null>
}

const POLL_MS = 100

/** One query per poll covers all waiting callers. */
export function createMinedTransactionWaiter(
  db: Db,
  { timeoutMs = 20_000, atOnce = 200, perClient = 16 }: MinedTransactionsOptions = {},
): MinedTransactionWaiter {
  const pool = createWaiterPool<Transaction | null>({ atOnce, perClient, perIntent: atOnce })
  const loader = new DataLoader<number, Transaction | null>((ids) => readAll(db, ids), {
    cache: false,
    batchScheduleFn: (load) => setTimeout(load, POLL_MS),
  })
  const watch = async (id: number) => {
    const until = performance.now() + timeoutMs
    for (;;) {
      const transaction = await loader.load(id)
      if (isSettled(transaction) || performance.now() >= until) return transaction
    }
  }
  return {
    wait: async (id, client) => {
      const now = await findTransaction(db, id)
      if (isSettled(now) || pool.isFull(String(id))) return now
      const waiter = { client, intent: String(id), name: String(id), isKnown: true }
      return pool.wait(waiter, () => watch(id))
    },
  }
}

async function readAll(db: Db, ids: readonly number[]): Promise<(Transaction | null)[]> {
  const { rows } = await sql<Transaction>`select ${sql.raw(TRANSACTION_COLUMNS)}
    from app.transaction where id = any(${ids}::bigint[])`.execute(db)
  const found = new Map(rows.map((transaction) => [transaction.id, transaction]))
  return ids.map((id) => found.get(id) ?? null)
}

/** Whether there is nothing to wait for: it doesn't exist, has ended, or its call is mined. */
function isSettled(transaction: Transaction | null): boolean {
  if (transaction === null || isOver(transaction)) return true
  return transaction.txHash !== null && !wasCancelled(transaction)
}

/** Whether an empty transfer to the sender itself was mined in place of the call. */
export function wasCancelled({ state, problem }: Pick<Transaction, 'state' | 'problem'>): boolean {
  return state === 'superseded' || problem === 'CANCELLED'
}
