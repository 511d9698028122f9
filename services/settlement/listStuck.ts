import { sql } from 'kysely'
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
 * anywhere, and intents that nobody can bid for because their recipients never came.
 */
export async function listStuck(
  db: Db,
  { afterSeconds, limit }: { afterSeconds: number; limit: number },
): Promise<StuckRow[]> {
  const long = sql`now() - ${afterSeconds} * interval '1 second'`
  const { rows } = await sql<StuckRow>`
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
    ) as stuck order by since limit ${limit}`.execute(db)
  return rows
}
