import { sql } from 'kysely'
import type { Address } from 'viem'
import { ADVISORY_LOCK_CLASSES } from '../../store/database/advisoryLocks.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { LIVE_STATES } from './transactionRow.ts'

const IS_LIVE = sql`state in (${sql.join(LIVE_STATES.map(sql.lit))})`

/**
 * The problem of those that end so: they may still be mined. One that has reverted may succeed in another block, after a reorg
 * that nobody looks for.
 */
export const FORMER_ACCOUNT = 'FORMER_ACCOUNT'

/**
 * Ends pending transactions of other accounts that no sender works for, such as after a root rotation: everyone would wait
 * for them. Whoever still needs their effects requests these again. Those that are in a block count as confirmed. Their
 * time of change stays, so that a row that somebody else wrote delays a winner's settlement no longer than any other.
 *
 * @param account the one that sends now
 * @param kinds what it sends: another service that shares the database may only be restarting
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
