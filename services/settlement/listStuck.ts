import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../store/database.ts'

/** An intent, or a transaction of ours, that has not moved when it should have. */
export type StuckRow = {
  /** Null for a transaction about no intent. */
  sourceChainId: number | null
  intentId: bigint | null
  /** What should have happened: a reaction's kind, a transaction's, or `recipients`. */
  what: string
  /** Stable code. */
  cause: string
  detail: string | null
  attempts: number
  since: Date
  nextTryAt: Date | null
  transactionId: number | null
  chainId: number | null
  txHash: string | null
}

/**
 * What has waited longer than `afterSeconds`, the longest first:
 * reactions that wait or were refused while their intent is open, transactions that don't get
 * anywhere, intents that nobody can bid for because their recipients never came, and intents whose
 * blobs on chain name nobody.
 */
export async function listStuck(
  db: Db,
  asked: { afterSeconds: number; limit: number },
): Promise<StuckRow[]> {
  return (await listStuckQuery(asked).execute(db)).rows
}

/** The statement of `listStuck`. */
export function listStuckQuery({
  afterSeconds,
  limit,
}: {
  afterSeconds: number
  limit: number
}): RawBuilder<StuckRow> {
  const long = sql`now() - ${afterSeconds} * interval '1 second'`
  return sql<StuckRow>`
    select * from (
      select r.source_chain_id as "sourceChainId", r.intent_id as "intentId", r.kind as what,
        coalesce(t.problem, r.reason, 'UNKNOWN') as cause, coalesce(t.detail, r.detail) as detail,
        r.attempts, r.wanted_since as since, r.next_try_at as "nextTryAt",
        t.id as "transactionId", t.chain_id as "chainId", t.tx_hash as "txHash"
      from app.reaction r
      join cairn.intent i on i.source_chain_id = r.source_chain_id and i.intent_id = r.intent_id
      left join app.transaction t on t.kind = r.kind and t.chain_id = r.source_chain_id
        and t.effect = case when r.kind in ('anchor', 'append')
          then r.intent_id || ':' || r.subject else r.intent_id::text end
      where (r.state = 'waiting' or r.state = 'refused' and i.phase in ('open', 'bidding', 'deposited'))
        and r.wanted_since < ${long} and r.reason is distinct from 'LEFT_TO_OTHERS'
      union all
      select null, null, t.kind, coalesce(t.problem, 'NO_BLOCK'), t.detail, t.round,
        t.requested_at, null, t.id, t.chain_id, t.tx_hash
      from app.transaction t
      where t.state in ('chosen', 'signed', 'sent', 'mined') and t.requested_at < ${long}
        and t.kind not in ('anchor', 'settle', 'refund', 'append')
      union all
      select i.source_chain_id, i.intent_id, 'recipients', 'AWAITING_RECIPIENTS',
        null, 0, to_timestamp(i.created_at), null, null, null, null
      from cairn.intent i
      join cairn.chain_clock c on c.chain_id = i.source_chain_id
      where i.phase = 'open' and i.fee_bps is null and i.end_time > c.timestamp
        and i.created_at < c.timestamp - ${afterSeconds}
        and not exists (select from app.bundle b
          where b.source_chain_id = i.source_chain_id and b.intent_id = i.intent_id)
      union all
      select i.source_chain_id, i.intent_id, 'recipients', 'NAMES_NOBODY',
        null, 0, to_timestamp(i.created_at), null, null, null, null
      from cairn.intent i
      join cairn.chain_clock c on c.chain_id = i.source_chain_id
      where i.fee_bps is not null and i.created_at < c.timestamp - ${afterSeconds}
        and (i.phase in ('bidding', 'deposited') or i.phase = 'open' and i.end_time > c.timestamp)
        and ${namesNobody}
    ) as stuck order by since limit ${limit}`
}

/**
 * SQL: whether no blob on chain that counts for intent `i` is one of ours: another may have been anchored
 * after a reorg, or have been sealed by nobody. Stored recipients that are still to be appended are told
 * by their reaction; what a recovery has yet to read isn't known.
 */
const namesNobody = sql`
  not exists (select from app.recovery r
    where r.chain_id = i.source_chain_id and r.finished_at is null)
  and not exists (
    select from (
      select b.sealed from app.bundle b
      where b.source_chain_id = i.source_chain_id and b.intent_id = i.intent_id
      union all
      select a.sealed from app.appended_blob a
      where a.source_chain_id = i.source_chain_id and a.intent_id = i.intent_id
        and a.purpose = 'bundle'
    ) as ours
    where i.phase <> 'deposited' or exists (
      select from cairn.event e
      where e.source_chain_id = i.source_chain_id and e.intent_id = i.intent_id
        and e.type in ('IntentCreated', 'IntentAnchored', 'BlobAppended')
        and e.args ->> 'encryptedBlob' = '0x' || encode(ours.sealed, 'hex')
        and (e.block_number, e.log_index) < (
          select d.block_number, d.log_index from cairn.event d
          where d.source_chain_id = i.source_chain_id and d.intent_id = i.intent_id
            and d.type = 'SolverDeposited')))`
