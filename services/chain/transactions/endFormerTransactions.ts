import { sql } from 'kysely'
import type { Address } from 'viem'
import { ADVISORY_LOCK_CLASSES } from '../../store/database/advisoryLocks.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { LIVE_STATES } from './transactionRow.ts'

const IS_LIVE = sql`state in (${sql.join(LIVE_STATES.map(sql.lit))})`

/**
 * The problem of a transaction that ended with its account. It isn't final: nodes may still mine the transaction, and nobody
 * watches whether a reorg puts one that reverted into another block, where it succeeds.
 */
export const FORMER_ACCOUNT = 'FORMER_ACCOUNT'

/**
 * Ends other accounts' pending transactions for which no sender runs any more, such as after a root rotation. Otherwise
 * their effects would be waited for, not requested again. One that has succeeded in a block counts as confirmed. A
 * reorg may still remove it, so callers look at the chain.
 *
 * Keeps `changed_at`: a forged row must not postpone a winner's settlement, which is tried again an hour after that.
 *
 * @param account the account that sends now
 * @param kinds what it sends. Other kinds belong to a service that shares the database and may only be restarting
 */
export async function endFormerTransactions(
  db: Db,
  account: Address,
  kinds: readonly string[],
): Promise<void> {
  const isEnding = sql`${IS_LIVE} and kind in (${sql.join(kinds)})`
  const { rows } = await sql<{ former: string; chainId: number }>`
    select distinct account as former, chain_id as "chainId" from app.transaction
    where ${isEnding} and account <> ${account.toLowerCase()}`.execute(db)
  for (const { former, chainId } of rows) {
    await db.transaction().execute(async (transaction) => {
      // Its sender holds this for as long as it runs: see `acquireLease`.
      const free = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(
        ${ADVISORY_LOCK_CLASSES.sender}, hashtext(${`${former}:${chainId}`})) as taken`.execute(
        transaction,
      )
      if (!free.rows[0]?.taken) return
      await sql`
        update app.transaction set
          state = case when state = 'mined' and succeeded then 'confirmed' else 'failed' end,
          problem = case when state = 'mined' and (succeeded or problem is not null) then problem
            else ${sql.lit(FORMER_ACCOUNT)} end
        where account = ${former} and chain_id = ${chainId}::bigint and ${isEnding}`.execute(
        transaction,
      )
    })
  }
}
