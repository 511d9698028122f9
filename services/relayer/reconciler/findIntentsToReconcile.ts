import { sql } from 'kysely'
import type { Db } from '../../store/database/openDatabase.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'
import { PAYING_KINDS, ROWS_COUNT_MS } from './findDesiredEffects.ts'
import { refundDueBy } from './refundDueBy.ts'

/**
 * Finds intents that may need something now, judging by rows alone: a superset of what `findDesiredEffects` returns.
 * It stays small, because finished intents drop out. Returns at most `limit`. Pairs of chains take turns, so that those
 * that wait for a silent chain hide no others; then senders; among one sender's intents, the least recently attempted
 * come first.
 *
 * @param refundAfter seconds that a due refund is left to others
 */
export async function findIntentsToReconcile(
  db: Db,
  { refundAfter, limit }: { refundAfter: number; limit: number },
): Promise<IntentKey[]> {
  const { rows } = await findCandidatesQuery({ refundAfter, limit }).execute(db)
  return rows
}

/** Work that came this long before earlier work was done still counts as new: it may have come too late to be part of it. */
const OVERLAP = '1 minute'

/** How long possibly newer work is found again in each sweep, since nothing records that it was checked. */
const REVISIT_PERIOD = '5 minutes'

function findCandidatesQuery({ refundAfter, limit }: { refundAfter: number; limit: number }) {
  // The values are literals, as they never change: a statement without parameters is planned once.
  const clockOf = (chain: string) =>
    sql`(select c.timestamp from cairn.chain_clock c where c.chain_id = ${sql.ref(chain)})`
  const now = clockOf('i.source_chain_id')
  const due = sql`${now} - ${sql.lit(refundAfter)}::bigint`
  const bundle = sql`app.bundle b where b.source_chain_id = i.source_chain_id
    and b.intent_id = i.intent_id and '0x' || encode(b.params_hash, 'hex') = i.params_hash
    and not b.is_disputed`
  // As in `findDesiredEffects`.
  const isAhead = sql`r.tried_at > clock_timestamp() + interval '1 minute'`
  const isOverdue = sql`desired.kind in (${sql.join(PAYING_KINDS.map(sql.lit))}) and (r.tried_at < clock_timestamp()
    - ${sql.lit(ROWS_COUNT_MS)} * interval '1 millisecond' or ${isAhead})`
  const newerThan = sql`least(r.done_at, greatest(r.done_at - interval ${sql.lit(OVERLAP)},
    now() - interval ${sql.lit(REVISIT_PERIOD)}))`
  return sql<IntentKey>`
    select source_chain_id as "sourceChainId", intent_id as "intentId" from (
    select candidate.*, row_number() over (partition by candidate.source_chain_id, candidate.dest_chain_id
      order by candidate.turn, candidate.tried_at nulls first) as chains_turn
    from (select desired.source_chain_id, desired.intent_id, payer.dest_chain_id, r.tried_at, row_number() over (
      partition by payer.sender order by r.tried_at nulls first, desired.intent_id) as turn
    from (
      select i.source_chain_id, i.intent_id, 'anchor' as kind, null::bigint as since
      from cairn.intent i
      where i.phase = 'open' and i.fee_bps is null and i.firm_at > ${now}
        and (i.blob_count > 0 or exists (select from ${bundle}))
      union all
      select i.source_chain_id, i.intent_id, 'append', b.stored_at
      from app.bundle b
      join cairn.intent i on i.source_chain_id = b.source_chain_id and i.intent_id = b.intent_id
        and '0x' || encode(b.params_hash, 'hex') = i.params_hash
      where not b.is_disputed and i.phase in ('open', 'bidding') and i.fee_bps is not null
        and i.firm_at > ${now} and not exists (select from app.signed s
          where s.source_chain_id = b.source_chain_id and s.intent_id = b.intent_id
            and s.kind in ('anchor', 'append') and s.proposal_digest = sha256(b.sealed)
            and exists (select from cairn.event e where e.source_chain_id = s.source_chain_id
              and e.intent_id = s.intent_id and e.type in ('IntentAnchored', 'BlobAppended')
              and e.args ->> 'encryptedBlob' = '0x' || encode(coalesce(s.bytes, ''), 'hex')))
      union all
      select i.source_chain_id, i.intent_id, 'reveal', null from cairn.intent i
      where i.phase = 'deposited' and i.asked_at is not null and i.revealed_at is null
      union all
      select i.source_chain_id, i.intent_id, 'settle', null from cairn.intent i
      where i.phase = 'deposited' and exists (select from cairn.delivery d
        where d.source_chain_id = i.source_chain_id and d.intent_id = i.intent_id
          and d.solver = i.solver and d.dest_chain_id = i.dest_chain_id)
      union all
      select i.source_chain_id, i.intent_id, 'undelivered', null from cairn.intent i
      where i.phase = 'deposited' and i.fill_deadline <= ${now}
        and i.fill_deadline <= ${clockOf('i.dest_chain_id')}
      union all
      select i.source_chain_id, i.intent_id, 'refund', null from cairn.intent i
      where ${refundDueBy(due)}
      union all
      -- Recorded as waiting, which may have ended unnoticed: by a reorg of the creation, say.
      select waits.source_chain_id, waits.intent_id, waits.kind, null from app.reaction waits
      where waits.state = 'waiting' and waits.wanted_since < now() - interval '30 seconds'
    ) as desired
    left join app.reaction r on r.kind = desired.kind
      and r.source_chain_id = desired.source_chain_id and r.intent_id = desired.intent_id
    left join cairn.intent payer on payer.source_chain_id = desired.source_chain_id
      and payer.intent_id = desired.intent_id
    where ${isOverdue} or (r.kind is null or r.state = 'waiting' or r.state = 'done'
        and (desired.since is null or desired.since >= extract(epoch from ${newerThan})))
      and (r.next_try_at is null or r.next_try_at <= clock_timestamp() or ${isAhead})
      -- Its transaction is pending: the chain will show the outcome.
      and (r.reason is distinct from 'TRANSACTION' or r.tried_at is null
        or r.tried_at < clock_timestamp() - interval '5 seconds' or ${isAhead})
    ) as candidate) as placed
    order by chains_turn, turn, tried_at nulls first limit ${sql.lit(limit)}`
}
