import { sql } from 'kysely'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'

/**
 * Intents about which something may be wanted now, by the rows alone: a superset of what `wanted`
 * finds, small because whatever is done leaves it. At most `limit`, those tried longest ago first.
 *
 * @param refundAfter seconds for which a due refund is left to others
 */
export async function findCandidates(
  db: Db,
  { refundAfter, limit }: { refundAfter: number; limit: number },
): Promise<IntentKey[]> {
  const { rows } = await findCandidatesQuery({ refundAfter, limit }).execute(db)
  return rows
}

/** The statement of `findCandidates`. */
export function findCandidatesQuery({
  refundAfter,
  limit,
}: {
  refundAfter: number
  limit: number
}) {
  const now = sql`(select c.timestamp from cairn.chain_clock c where c.chain_id = i.source_chain_id)`
  const grace = sql`(select b.settlement_grace from cairn.bridge b where b.chain_id = i.source_chain_id)`
  const due = sql`${now} - ${refundAfter}::bigint`
  return sql<IntentKey>`
    select wanted.source_chain_id as "sourceChainId", wanted.intent_id as "intentId"
    from (
      select i.source_chain_id, i.intent_id from cairn.intent i
      where i.phase = 'open' and i.fee_bps is null and i.end_time > ${now}
        and (i.blob_count > 0 or exists (select from app.bundle b
          where b.source_chain_id = i.source_chain_id and b.intent_id = i.intent_id))
      union
      select i.source_chain_id, i.intent_id from cairn.intent i
      where i.phase = 'deposited' and exists (select from cairn.delivery d
        where d.source_chain_id = i.source_chain_id and d.intent_id = i.intent_id
          and d.solver = i.solver and d.dest_chain_id = i.dest_chain_id)
      union
      select i.source_chain_id, i.intent_id from cairn.intent i
      where i.phase = 'open' and i.end_time <= ${due}
        or i.phase = 'bidding' and i.pickup_deadline <= ${due}
        or i.phase = 'deposited' and i.fill_deadline + ${grace} <= ${due}
      union
      select blob.source_chain_id, blob.intent_id from app.appended_blob blob
      where not exists (select from cairn.event e
        where e.source_chain_id = blob.source_chain_id and e.intent_id = blob.intent_id
          and e.type = 'BlobAppended'
          and e.args ->> 'encryptedBlob' = '0x' || encode(blob.sealed, 'hex'))
    ) as wanted
    left join lateral (
      select max(r.tried_at) as tried_at,
        bool_and(r.state = 'refused' or r.next_try_at > clock_timestamp()) as pauses
      from app.reaction r
      where r.source_chain_id = wanted.source_chain_id and r.intent_id = wanted.intent_id
        and r.state <> 'done'
    ) as tried on true
    where tried.pauses is not true
    order by tried.tried_at nulls first limit ${limit}`
}
