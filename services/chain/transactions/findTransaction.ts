import { sql } from 'kysely'
import type { Db } from '../../store/database/database.ts'
import { TRANSACTION_COLUMNS, type Transaction, type TransactionKey } from './transaction.ts'

/** The transaction of an effect, or by its number; null when nobody requested it. */
export async function findTransaction(
  db: Db,
  which: TransactionKey | number,
): Promise<Transaction | null> {
  const condition =
    typeof which === 'number'
      ? sql`id = ${which}`
      : sql`kind = ${which.kind} and chain_id = ${which.chainId} and effect = ${which.effect}`
  const { rows } = await sql<Transaction>`
    select ${sql.raw(TRANSACTION_COLUMNS)} from app.transaction where ${condition}`.execute(db)
  return rows[0] ?? null
}
