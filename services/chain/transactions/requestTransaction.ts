import { sql } from 'kysely'
import type { Db } from '../../store/database/openDatabase.ts'
import { findTransaction } from './findTransaction.ts'
import { TRANSACTION_COLUMNS, type Transaction, type TransactionRequest } from './transactionRow.ts'

/**
 * Requests an effect on a chain. It only records the request; the sender of this account and chain signs and sends it. The
 * first request of an effect wins: later ones return the same transaction in its present state, whatever their data.
 *
 * @param db may be a database transaction, so that the request commits or rolls back with its cause
 */
export async function requestTransaction(
  db: Db,
  requested: TransactionRequest,
): Promise<Transaction & { isNew: boolean }> {
  const { kind, chainId, effect, account, to, data, value = 0n, gasLimit = null } = requested
  const { deadline = null, worth = null, payer = null, l1Fee = 0n, mac = null } = requested
  const { rows } = await sql<Transaction>`
    insert into app.transaction (kind, chain_id, effect, account, to_address, data, value, gas_limit,
      deadline, worth, payer, l1_fee, mac)
    values (${kind}, ${chainId}, ${effect}, ${account.toLowerCase()}, ${to.toLowerCase()},
      ${data.toLowerCase()}, ${String(value)}, ${gasLimit === null ? null : String(gasLimit)},
      ${deadline}::bigint, ${worth === null ? null : String(worth)}::numeric, ${payer},
      ${String(l1Fee)}::numeric, ${mac})
    on conflict (kind, chain_id, effect) do nothing
    returning ${sql.raw(TRANSACTION_COLUMNS)}`.execute(db)
  const [inserted] = rows
  if (inserted) return { ...inserted, isNew: true }
  const found = await findTransaction(db, { kind, chainId, effect })
  if (!found)
    throw new Error(`the transaction ${kind} ${effect} vanished while it was being requested`)
  return { ...found, isNew: false }
}
