import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../store/database/openDatabase.ts'
import type { TransactionRequest } from './transactionRow.ts'

/** The call that is wanted now, and its MAC if the signer requires one. */
type WantedCall = Pick<TransactionRequest, 'account' | 'to' | 'data' | 'value' | 'gasLimit' | 'mac'>

/** The row that was read. Of several callers that see the same round, one requests it again. */
type ReadRow = { id: number; round: number }

/**
 * Requests an ended transaction once more: one that failed and may succeed by now, or whose effect a reorg undid. Its call is
 * replaced: the old one may be stale, such as an attestation with an earlier deadline, or false.
 *
 * @returns whether this caller reopened it
 */
export function reopenTransaction(db: Db, row: ReadRow, call: WantedCall): Promise<boolean> {
  return startOver(db, row, call, sql`state in ('confirmed', 'failed', 'superseded')`)
}

/**
 * Requests another call in place of a transaction's own, whatever has become of it. Only for calls that have their
 * effect once, since the earlier one may still be mined.
 *
 * @returns whether this caller took it over
 */
export function takeOverTransaction(db: Db, row: ReadRow, call: WantedCall): Promise<boolean> {
  return startOver(db, row, call, sql`true`)
}

/** Deletes the earlier versions. It counts as requested now, so that a day's gas includes this round. */
async function startOver(
  db: Db,
  { id, round }: ReadRow,
  { account, to, data, value = 0n, gasLimit, mac }: WantedCall,
  condition: RawBuilder<unknown>,
): Promise<boolean> {
  const { rows } = await sql`
    with renewed as (
      update app.transaction
      set account = ${account.toLowerCase()}, to_address = ${to.toLowerCase()},
        data = ${data.toLowerCase()}, value = ${String(value)}::numeric,
        gas_limit = ${gasLimit?.toString() ?? null}::bigint, mac = ${mac ?? null},
        -- A false fee mustn't end it again.
        l1_fee = case when l1_fee < 'NaN' then l1_fee else 0 end,
        state = 'chosen', nonce = null, tx_hash = null, block_number = null, block_hash = null,
        succeeded = null, problem = null, detail = null, round = least(round, 1000000) + 1,
        requested_at = clock_timestamp(), changed_at = clock_timestamp()
      where id = ${id} and round = ${round} and ${condition}
      returning id),
    forgotten as (
      delete from app.transaction_version where transaction_id in (select id from renewed))
    select id from renewed`.execute(db)
  return rows.length > 0
}
