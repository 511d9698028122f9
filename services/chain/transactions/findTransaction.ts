import { sql } from 'kysely'
import type { Db } from '../../store/database/openDatabase.ts'
import { TRANSACTION_COLUMNS, type Transaction, type TransactionKey } from './transactionRow.ts'

/** Finds a transaction by its effect or id; null if there is none. */
export async function findTransaction(
  db: Db,
  key: TransactionKey | number,
): Promise<Transaction | null> {
  const condition =
    typeof key === 'number'
      ? sql`id = ${key}`
      : sql`kind = ${key.kind} and chain_id = ${key.chainId} and effect = ${key.effect}`
  const { rows } = await sql<Transaction>`
    select ${sql.raw(TRANSACTION_COLUMNS)} from app.transaction where ${condition}`.execute(db)
  return rows[0] ?? null
}
