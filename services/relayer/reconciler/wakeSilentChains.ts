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
    await wake({ chainId, blockNumber, timestamp }, (by) =>
      isBlockWanted(db, chainId, { after: timestamp, by }, refundAfter),
    )
  }
}

/**
 * Whether a refund comes due in this period, a delivery's time ends (a confirmed block after that shows that there was none),
 * or something waits for a confirmation.
 */
async function isBlockWanted(
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
          and i.fill_deadline > ${after} and i.fill_deadline <= ${by})
      or exists (select from app.reaction r join cairn.intent i using (source_chain_id, intent_id)
        where r.state = 'waiting' and r.reason = 'NOT_CONFIRMED'
          and ${chainId} in (i.source_chain_id, i.dest_chain_id)) as "isDue"`.execute(db)
  return rows[0]?.isDue === true
}
