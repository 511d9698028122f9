import { sql } from 'kysely'
import type { Db } from '../../store/database/openDatabase.ts'
import type { TransactionRequest } from './transactionRow.ts'

type TakenCall = Pick<TransactionRequest, 'account' | 'to' | 'data' | 'mac' | 'gasLimit'>

/**
 * Requests another call in place of a transaction's own, whatever has become of that. Only for calls that have their
 * effect once, since the earlier one may still be mined.
 *
 * @param round of the row that was read: of several callers, one takes it over
 */
export async function takeOverTransaction(
  db: Db,
  { id, round }: { id: number; round: number },
  { account, to, data, mac, gasLimit }: TakenCall,
): Promise<void> {
  await sql`
    with taken as (
      update app.transaction
      set account = ${account.toLowerCase()}, to_address = ${to.toLowerCase()},
        data = ${data.toLowerCase()}, value = 0, gas_limit = ${gasLimit?.toString() ?? null}::bigint,
        mac = ${mac ?? null}, state = 'chosen',
        l1_fee = case when l1_fee < 'NaN' then l1_fee else 0 end,
        nonce = null, tx_hash = null, block_number = null, block_hash = null, succeeded = null,
        problem = null, detail = null, round = least(round, 1000000) + 1,
        requested_at = clock_timestamp(), changed_at = clock_timestamp()
      where id = ${id} and round = ${round} returning id)
    delete from app.transaction_version where transaction_id in (select id from taken)`.execute(db)
}
