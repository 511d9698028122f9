import { sql } from 'kysely'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { RelayerProblem } from './relayerProblem.ts'

/**
 * Whether an intent of ours waits for a delivery on a chain that is no longer configured: nobody else would settle it.
 *
 * @param chains all that are configured
 */
export async function findRemovedChain(
  { db, chains }: { db: Db; chains: readonly Pick<ChainConfig, 'chainId'>[] },
  { chainId, name }: Pick<ChainConfig, 'chainId' | 'name'>,
): Promise<RelayerProblem | null> {
  const configured = sql.join(chains.map((chain) => sql.lit(chain.chainId)))
  // First those that wait, and then whether they are ours: sorted by destination, all intents would be read.
  const { rows } = await sql<{ destChainId: string; intents: number }>`
    with waiting as materialized (
      select i.source_chain_id, i.intent_id, i.dest_chain_id from cairn.intent i
      where i.phase = 'deposited' and i.source_chain_id = ${sql.lit(chainId)}
        and i.dest_chain_id not in (${configured}))
    select i.dest_chain_id::text as "destChainId", count(*)::integer as intents from waiting i
    where exists (select from app.signed s
        where s.source_chain_id = i.source_chain_id and s.intent_id = i.intent_id
      union all select from app.bundle b
        where b.source_chain_id = i.source_chain_id and b.intent_id = i.intent_id)
    group by i.dest_chain_id order by i.dest_chain_id limit 1`.execute(db)
  const [removed] = rows
  if (removed === undefined) return null
  return {
    chainId,
    code: 'CHAIN_REMOVED',
    cause: `winners deliver on chain ${removed.destChainId}, which isn’t in CHAINS, for intents from ${name} (${removed.intents}): nobody settles that, and once the senders can refund, the winners lose what they paid`,
    fix: 'put the chain back into CHAINS until these intents have ended (docs/operating.md#take-a-chain-out-of-service)',
  }
}
