import { sql } from 'kysely'
import type { Transaction } from '../chain/transactions/transaction.ts'
import type { Db } from '../store/database.ts'

/**
 * Whether a settlement that waits to be sent has lost what it pays for: a reorg took the delivery away
 * after it was attested. The attestation is still good for the contract, so nobody else stops it. An
 * index that is only coming back after a restart is not believed.
 */
export async function hasLostItsDelivery(
  db: Db,
  { kind, chainId, effect }: Transaction,
): Promise<boolean> {
  if (kind !== 'settle') return false
  const { rows } = await sql`
    select from cairn.intent i
    join app.projection p on p.active and p.chain_id = i.dest_chain_id and p.state = 'live'
    where i.source_chain_id = ${chainId}::bigint and i.intent_id = ${effect}::numeric
      and i.phase = 'deposited' and not exists (
        select from cairn.delivery d where d.source_chain_id = i.source_chain_id
          and d.intent_id = i.intent_id and d.solver = i.solver
          and d.dest_chain_id = i.dest_chain_id)`.execute(db)
  return rows.length > 0
}
