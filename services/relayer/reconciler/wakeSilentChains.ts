import { sql } from 'kysely'
import type { WakeSilentChain } from '../../chain/transactions/silentChainWaker.ts'
import { chainsOrNone } from '../../store/chains/chainStateCache.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { ReactionContext } from './reactionContext.ts'
import { refundDueBy } from './refundDueBy.ts'

/**
 * Makes silent chains produce the block in which a refund comes due, or the next confirmation that something waits for.
 * Otherwise senders and winners would wait for somebody else's transaction.
 */
export async function wakeSilentChains(
  {
    bundles: { db },
    chains,
    configured,
    refundAfter,
  }: Pick<ReactionContext, 'bundles' | 'chains' | 'configured' | 'refundAfter'>,
  wake: WakeSilentChain,
): Promise<void> {
  const { heads } = await chainsOrNone(chains)
  for (const [chainId, { blockNumber, timestamp }] of heads) {
    if (!configured.has(chainId)) continue
    await wake({ chainId, blockNumber, timestamp }, async (by) => {
      const isDue = await isRefundDue(db, chainId, { after: timestamp, by }, refundAfter)
      return isDue || isConfirmationWanted(db, chainId, [...configured.keys()])
    })
  }
}

/**
 * Whether in this period a refund comes due, or a delivery's time ends: that there was none is attested once a later block is
 * confirmed.
 */
async function isRefundDue(
  db: Db,
  chainId: number,
  { after, by }: { after: number; by: number },
  refundAfter: number,
): Promise<boolean> {
  const dueBy = (time: number) => refundDueBy(sql`${time - refundAfter}::bigint`)
  const { rows } = await sql<{ isDue: boolean }>`
    select exists (select from cairn.intent i
        where i.source_chain_id = ${chainId} and ${dueBy(by)} and not ${dueBy(after)})
      or exists (select from cairn.intent i
        where i.phase = 'deposited' and ${chainId} in (i.source_chain_id, i.dest_chain_id)
          and i.fill_deadline > ${after} and i.fill_deadline <= ${by}) as "isDue"`.execute(db)
  return rows[0]?.isDue === true
}

/** Whether an intent waits for confirmations. Doesn't count one with a chain that isn't configured: it would wait forever. */
async function isConfirmationWanted(
  db: Db,
  chainId: number,
  configured: readonly number[],
): Promise<boolean> {
  const { rows } = await sql`
    select from app.reaction r join cairn.intent i using (source_chain_id, intent_id)
    where r.state = 'waiting' and r.reason = 'NOT_CONFIRMED' and i.phase = 'deposited'
      and ${chainId} in (i.source_chain_id, i.dest_chain_id)
      and i.source_chain_id = any(${configured}::bigint[]) and i.dest_chain_id = any(${configured}::bigint[])
    limit 1`.execute(db)
  return rows.length > 0
}
