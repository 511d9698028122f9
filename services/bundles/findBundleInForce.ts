import { sql } from 'kysely'
import { bytesToHex } from 'viem'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'
import { findBundle } from './findBundle.ts'
import type { StoredBundle } from './storedBundle.ts'

/**
 * The bundle that an intent's winner has to pay: the anchored one, or the last replacement that was on
 * chain before the deposit. The chain's order decides, for us as for the enclave that attests the
 * delivery. Null when nothing is stored.
 */
export async function findBundleInForce(db: Db, key: IntentKey): Promise<StoredBundle | null> {
  const bundle = await findBundle(db, key)
  if (!bundle) return null
  const { rows } = await sql<{ sealed: Uint8Array; storedAt: number }>`
    select blob.sealed, blob.stored_at as "storedAt"
    from app.appended_blob blob
    join cairn.event appended on appended.source_chain_id = blob.source_chain_id
      and appended.intent_id = blob.intent_id and appended.type = 'BlobAppended'
      and appended.args ->> 'encryptedBlob' = '0x' || encode(blob.sealed, 'hex')
    where blob.source_chain_id = ${key.sourceChainId}::bigint
      and blob.intent_id = ${String(key.intentId)}::numeric and blob.purpose = 'bundle'
      and not exists (
        select from cairn.event deposit where deposit.source_chain_id = blob.source_chain_id
          and deposit.intent_id = blob.intent_id and deposit.type = 'SolverDeposited'
          and (deposit.block_number, deposit.log_index)
            < (appended.block_number, appended.log_index))
    order by appended.block_number desc, appended.log_index desc limit 1`.execute(db)
  const [last] = rows
  return last ? { ...bundle, sealed: bytesToHex(last.sealed), storedAt: last.storedAt } : bundle
}
