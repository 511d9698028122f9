import { sql } from 'kysely'
import type { Db } from '../../store/database/database.ts'

/** Reactions of one kind, state and reason. */
type ReactionCount = {
  kind: string
  state: 'waiting' | 'refused'
  reason: string
  count: number
  /** Failed attempts, over all of them. */
  failures: number
  /** Age of the oldest. */
  seconds: number
}

/** Reactions that are not done, by kind, state and reason. */
export async function countReactions(db: Db): Promise<ReactionCount[]> {
  const { rows } = await sql<ReactionCount>`
    select kind, state, coalesce(reason, 'NONE') as reason, count(*) as count,
      sum(attempts)::bigint as failures,
      extract(epoch from clock_timestamp() - min(wanted_since))::bigint as seconds
    from app.reaction where state <> 'done' group by 1, 2, 3`.execute(db)
  return rows
}

type TransactionCount = { kind: string; chainId: number; state: string; count: number }

/** Transactions that a sender looks after, by kind, chain and state. */
export async function countTransactions(db: Db): Promise<TransactionCount[]> {
  const { rows } = await sql<TransactionCount>`
    select kind, chain_id as "chainId", state, count(*) as count from app.transaction
    where state in ('chosen', 'signed', 'sent', 'mined') group by 1, 2, 3`.execute(db)
  return rows
}

/** Reactions that are done, and how long they took in all, by kind. */
export async function countDone(
  db: Db,
): Promise<{ kind: string; count: number; seconds: number }[]> {
  const { rows } = await sql<{ kind: string; count: number; seconds: number }>`
    select kind, count(*) as count,
      coalesce(sum(extract(epoch from done_at - wanted_since)), 0)::double precision as seconds
    from app.reaction where state = 'done' group by 1`.execute(db)
  return rows
}
