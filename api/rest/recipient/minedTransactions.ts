import DataLoader from 'dataloader'
import { sql } from 'kysely'
import { findTransaction } from '../../../services/chain/transactions/findTransaction.ts'
import {
  isOver,
  TRANSACTION_COLUMNS,
  type Transaction,
} from '../../../services/chain/transactions/transaction.ts'
import type { Db } from '../../../services/store/database/database.ts'
import { createWaiterPool } from '../intents/waiterPool.ts'

export type MinedTransactionsOptions = {
  /** Milliseconds that a caller waits for a block. Default 20,000. */
  timeoutMs?: number
  /** Transactions waited for at once. Default 200. */
  atOnce?: number
  /** Callers of one client that wait at once. Default 16. */
  perClient?: number
}

/** Where callers wait until their transaction is in a block. */
export type MinedTransactions = {
  /**
   * The transaction once it is in a block or has failed; in its present state when that takes too long
   * or too many wait already. Null when there is none.
   *
   * @param client address that the caller is limited by
   * @throws ApiError `RATE_LIMITED`
   */
  wait(id: number, client: string): Promise<Transaction | null>
}

const POLL_MS = 100

/** However many wait, one query now and then covers all of them. */
export function createMinedTransactions(
  db: Db,
  { timeoutMs = 20_000, atOnce = 200, perClient = 16 }: MinedTransactionsOptions = {},
): MinedTransactions {
  const room = createWaiterPool<Transaction | null>({ atOnce, perClient, perIntent: atOnce })
  const looks = new DataLoader<number, Transaction | null>((ids) => readAll(db, ids), {
    cache: false,
    batchScheduleFn: (look) => setTimeout(look, POLL_MS),
  })
  const watch = async (id: number) => {
    const until = performance.now() + timeoutMs
    for (;;) {
      const transaction = await looks.load(id)
      if (isSettled(transaction) || performance.now() >= until) return transaction
    }
  }
  return {
    wait: async (id, client) => {
      const now = await findTransaction(db, id)
      if (isSettled(now) || room.isFull(String(id))) return now
      const who = { client, intent: String(id), name: String(id), isKnown: true }
      return room.wait(who, () => watch(id))
    },
  }
}

async function readAll(db: Db, ids: readonly number[]): Promise<(Transaction | null)[]> {
  const { rows } = await sql<Transaction>`select ${sql.raw(TRANSACTION_COLUMNS)}
    from app.transaction where id = any(${ids}::bigint[])`.execute(db)
  const found = new Map(rows.map((transaction) => [transaction.id, transaction]))
  return ids.map((id) => found.get(id) ?? null)
}

/** Whether there is nothing to wait for: it doesn't exist, is over, or its call is in a block. */
function isSettled(transaction: Transaction | null): boolean {
  if (transaction === null || isOver(transaction)) return true
  return transaction.txHash !== null && !wasCancelled(transaction)
}

/** Whether the block has only an empty transfer to ourselves, in place of the call. */
export function wasCancelled({ state, problem }: Pick<Transaction, 'state' | 'problem'>): boolean {
  return state === 'superseded' || problem === 'CANCELLED'
}
