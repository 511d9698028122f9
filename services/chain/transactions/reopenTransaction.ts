import { sql } from 'kysely'
import type { Db } from '../../store/database/openDatabase.ts'
import type { TransactionRequest } from './transactionRow.ts'

/** The call that is wanted now. A gas limit of null is estimated before it is signed. */
type WantedCall = Pick<TransactionRequest, 'account' | 'to' | 'data' | 'value' | 'mac'> & {
  gasLimit: bigint | null
}

/**
 * Requests an ended transaction once more: one that failed and may succeed by now, or whose effect a reorg undid. Deletes
 * its earlier versions. It counts as requested now, so that a day's gas includes this round.
 *
 * @param round the round that has ended: of several callers that see the same end, one reopens it
 * @param call fields that replace stale ones, such as an attestation with a new deadline, or false ones
 * @returns whether this call reopened it
 */
export async function reopenTransaction(
  db: Db,
  { id, round }: { id: number; round: number },
  { account, to, data, value, mac, gasLimit }: Partial<WantedCall> = {},
): Promise<boolean> {
  const known = sql`case when gas_limit >= 0 then gas_limit end`
  const gas = gasLimit === undefined ? known : sql`${gasLimit?.toString() ?? null}::bigint`
  const { rows } = await sql`
    with reopened as (
      update app.transaction
      set state = 'chosen', nonce = null, tx_hash = null, block_number = null, block_hash = null,
        succeeded = null, problem = null, detail = null, round = least(round, 1000000) + 1,
        -- What a row says falsely mustn't end it again.
        l1_fee = case when l1_fee < 'NaN' then l1_fee else 0 end,
        gas_limit = ${gas},
        account = coalesce(${account?.toLowerCase() ?? null}, account),
        to_address = coalesce(${to?.toLowerCase() ?? null}, to_address),
        data = coalesce(${data?.toLowerCase() ?? null}, data),
        value = coalesce(${value === undefined ? null : String(value)}::numeric, value),
        mac = coalesce(${mac ?? null}, mac), requested_at = clock_timestamp(),
        changed_at = clock_timestamp()
      where id = ${id} and round = ${round} and state in ('confirmed', 'failed', 'superseded')
      returning id),
    forgotten as (
      delete from app.transaction_version where transaction_id in (select id from reopened))
    select id from reopened`.execute(db)
  return rows.length > 0
}
