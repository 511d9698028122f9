import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../store/database/openDatabase.ts'

/** An intent, or one of our transactions, that makes no progress although it should. */
export type StuckRow = {
  /** Null for a transaction that isn't about an intent. */
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
 * Lists what has waited for more than `afterSeconds`, longest first: reactions that wait or were refused while their
 * intent is open, transactions without progress, and intents that nobody can bid for because they have no recipients,
 * or disputed ones.
 */
export async function listStuckIntents(
  db: Db,
  asked: { afterSeconds: number; limit: number },
): Promise<StuckRow[]> {
  return (await listStuckQuery(asked).execute(db)).rows
}

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
        and t.effect = r.intent_id || ':' || r.subject
      where (r.state = 'waiting' or r.state = 'refused' and i.phase in ('open', 'bidding', 'deposited'))
        and r.wanted_since < ${long} and r.reason is distinct from 'LEFT_TO_OTHERS'
      union all
      select null, null, t.kind, coalesce(t.problem, 'NO_BLOCK'), t.detail, t.round,
        t.requested_at, null, t.id, t.chain_id, t.tx_hash
      from app.transaction t
      where t.state in ('chosen', 'signed', 'sent', 'mined') and t.requested_at < ${long}
        and t.kind not in ('anchor', 'append', 'reveal', 'settle', 'undelivered', 'refund')
      union all
      select i.source_chain_id, i.intent_id, 'recipients', 'AWAITING_RECIPIENTS',
        null, 0, to_timestamp(i.created_at), null, null, null, null
      from cairn.intent i
      join cairn.chain_clock c on c.chain_id = i.source_chain_id
      where i.phase = 'open' and i.fee_bps is null and i.firm_at > c.timestamp
        and i.created_at < c.timestamp - ${afterSeconds} and i.blob_count = 0
        and not exists (select from app.bundle b where ${isOfIntent} and not b.is_disputed)
      union all
      select i.source_chain_id, i.intent_id, 'recipients', 'RECIPIENTS_DISPUTED',
        null, 0, to_timestamp(b.stored_at), null, null, null, null
      from app.bundle b
      join cairn.intent i on i.source_chain_id = b.source_chain_id and i.intent_id = b.intent_id
      join cairn.chain_clock c on c.chain_id = i.source_chain_id
      where b.is_disputed and i.phase = 'open' and i.fee_bps is null and i.firm_at > c.timestamp
        and b.stored_at < extract(epoch from ${long}) and ${isOfIntent}
    ) as stuck order by since limit ${limit}`
}

/** SQL: whether a bundle `b` was sent for exactly the creation of intent `i`. */
const isOfIntent = sql`b.source_chain_id = i.source_chain_id and b.intent_id = i.intent_id
  and '0x' || encode(b.params_hash, 'hex') = i.params_hash`
