import { sql } from 'kysely'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'
import { isBundleMissing } from './isBundleMissing.ts'

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
      select i.source_chain_id, i.intent_id, case when exists (select from app.bundle b
          where b.source_chain_id = i.source_chain_id and b.intent_id = i.intent_id)
        then 'anchor' when i.blob_count > 0 then 'store' end as kind
      from cairn.intent i
      where i.phase = 'open' and i.fee_bps is null and i.end_time > ${now}
      union all
      select i.source_chain_id, i.intent_id, 'settle' from cairn.intent i
      where i.phase = 'deposited' and exists (select from cairn.delivery d
        where d.source_chain_id = i.source_chain_id and d.intent_id = i.intent_id
          and d.solver = i.solver and d.dest_chain_id = i.dest_chain_id)
      union all
      select i.source_chain_id, i.intent_id, 'refund' from cairn.intent i
      where i.phase = 'open' and i.end_time <= ${due}
        or i.phase = 'bidding' and i.pickup_deadline <= ${due}
        or i.phase = 'deposited' and i.fill_deadline + ${grace} <= ${due}
      union all
      select blob.source_chain_id, blob.intent_id, 'append' from app.appended_blob blob
      where not exists (select from cairn.event e
        where e.source_chain_id = blob.source_chain_id and e.intent_id = blob.intent_id
          and e.type = 'BlobAppended'
          and e.args ->> 'encryptedBlob' = '0x' || encode(blob.sealed, 'hex'))
      union all
      select b.source_chain_id, b.intent_id, 'append' from app.bundle b
      where (b.source_chain_id, b.intent_id) in (
          select i.source_chain_id, i.intent_id from cairn.intent i
          where i.phase in ('open', 'bidding') and i.fee_bps is not null)
        and ${isBundleMissing(sql`b`)}
      union all
      -- Told to be waiting, which may have ended unheard: by a reorg of the creation, say.
      select waits.source_chain_id, waits.intent_id, waits.kind from app.reaction waits
      where waits.state = 'waiting' and waits.wanted_since < now() - interval '30 seconds'
    ) as wanted
    left join app.reaction r on r.kind = wanted.kind
      and r.source_chain_id = wanted.source_chain_id and r.intent_id = wanted.intent_id
    where wanted.kind is not null and (r.kind is null or r.state <> 'refused')
      and (r.next_try_at is null or r.next_try_at <= clock_timestamp())
    order by r.tried_at nulls first limit ${limit}`
}
