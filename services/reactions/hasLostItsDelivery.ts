import { sql } from 'kysely'
import { decodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { Transaction } from '../chain/transactions/transaction.ts'
import type { Settlement } from '../enclave/port.ts'
import { ATTESTATION_VALIDITY } from '../enclave/settlement/settlementTypedData.ts'
import type { Db } from '../store/database.ts'

/**
 * Whether a settlement that waits to be sent has lost what it pays for: a reorg took the delivery away
 * after it was attested, or the deposit, and the intent's winner is one that deposited since. The
 * attestation is still good for the contract, so nobody else stops it. An index that is only coming back
 * after a restart is not believed.
 */
export async function hasLostItsDelivery(
  db: Db,
  { chainId, effect, data }: Transaction,
): Promise<boolean> {
  const { args } = decodeFunctionData({ abi: bridgeIntentV2Abi, data })
  const [{ deadline }] = args as unknown as [Settlement]
  const attestedAt = Number(deadline) - ATTESTATION_VALIDITY
  const { rows } = await sql`
    select from cairn.intent i
    join app.projection p on p.active and p.chain_id = i.dest_chain_id and p.state = 'live'
    where i.source_chain_id = ${chainId}::bigint and i.intent_id = ${effect}::numeric
      and i.phase = 'deposited' and (i.deposited_at > ${attestedAt}::bigint or not exists (
        select from cairn.delivery d where d.source_chain_id = i.source_chain_id
          and d.intent_id = i.intent_id and d.solver = i.solver
          and d.dest_chain_id = i.dest_chain_id))`.execute(db)
  return rows.length > 0
}
