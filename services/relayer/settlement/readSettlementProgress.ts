import { sql } from 'kysely'
import type { Hash } from 'viem'
import type { Db } from '../../store/database/openDatabase.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'
import { SILENT_AFTER } from '../../store/roles/readRoleStatuses.ts'

export type SettlementProgress = {
  /** The reaction's progress; null when there is none yet. */
  reaction: { state: 'waiting' | 'refused' | 'done'; reason: string | null; subject: string } | null
  /** The settlement's transaction, once it has succeeded in a block. */
  mined: { txHash: Hash; blockNumber: number } | null
  /** Why the transaction waits; null when it doesn't. */
  problem: string | null
  /** Whether any instance of the reactions runs on this database. */
  isAlive: boolean
  /** What keeps the source chain's sender from working; null when nothing does. */
  senderProblem: string | null
}

/** Reads the progress of an intent's settlement, in one statement. */
export async function readSettlementProgress(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
): Promise<SettlementProgress> {
  const id = String(intentId)
  const isOurs = sql`t.kind = 'settle' and t.chain_id = ${sourceChainId}::bigint
    and split_part(t.effect, ':', 1) = ${id}`
  const { rows } = await sql<SettlementProgress>`
    select
      (select json_build_object('state', r.state, 'reason', r.reason, 'subject', r.subject)
        from app.reaction r where r.kind = 'settle'
          and r.source_chain_id = ${sourceChainId}::bigint and r.intent_id = ${id}::numeric)
        as reaction,
      (select json_build_object('txHash', t.tx_hash, 'blockNumber', t.block_number)
        from app.transaction t where ${isOurs} and t.state in ('mined', 'confirmed')
          and t.succeeded limit 1) as mined,
      (select t.problem from app.transaction t where ${isOurs}
        order by t.id desc limit 1) as problem,
      exists (select from app.role_status s where s.role = 'reactions'
        and s.beat_at > now() - ${SILENT_AFTER} * interval '1 second') as "isAlive",
      (select sender ->> 'problem' from app.role_status s,
          -- Rows that no instance wrote mustn't fail the rest.
          jsonb_path_query(s.status, '$.senders[*]') as sender
        where s.role = 'reactions' and s.beat_at > now() - ${SILENT_AFTER} * interval '1 second'
          and sender ->> 'chainId' = ${String(sourceChainId)}::text
          and sender ->> 'isLeading' = 'true' limit 1) as "senderProblem"`.execute(db)
  return rows[0] as SettlementProgress
}
