import { sql } from 'kysely'
import type { Address } from 'viem'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { ConfigurationError } from '../../config/configurationError.ts'
import type { Db } from '../../store/database/openDatabase.ts'

/** Seconds after an auction in which its best bidder may still have to deposit; more than any bridge's windows. */
const PICKUP_SECONDS = 3_600

/**
 * Requires the configured chains to fit the journal.
 *
 * @param now unix seconds
 * @throws ConfigurationError when a chain is missing on which an intent still needs us, since we would lose the bond; or has
 *   another bridge than before, whose intents have the ids of the old one's: deliveries would be mistaken for each other
 */
export async function checkJournalChains(
  db: Db,
  account: Address,
  chains: readonly Pick<ChainConfig, 'chainId' | 'name' | 'bridge'>[],
  now: number,
): Promise<void> {
  const found = [
    ...(await findMissingChains(db, account, chains, now)),
    ...(await findOtherBridges(db, account, chains)),
  ]
  if (found.length > 0) throw new ConfigurationError(found)
}

async function findMissingChains(
  db: Db,
  account: Address,
  chains: readonly Pick<ChainConfig, 'chainId'>[],
  now: number,
): Promise<string[]> {
  const { rows } = await sql<{ chainId: number; until: number; intents: number }>`
    select chain.id as "chainId", max(needed.until) as until, count(*)::integer as intents
    from (select *, case when fill_deadline > 0 then fill_deadline else end_time + ${PICKUP_SECONDS} end as until
      from solver.intent
      where account = ${account.toLowerCase()} and outcome is null and phase <> 'outbid') as needed
    cross join lateral unnest(array[needed.source_chain_id, needed.dest_chain_id]) as chain (id)
    where needed.until > ${now} and chain.id <> all(${chains.map(({ chainId }) => chainId)}::bigint[])
    group by chain.id order by chain.id`.execute(db)
  return rows.map(({ chainId, until, intents }) => {
    const time = new Date(until * 1_000).toISOString()
    return `CHAINS: chain ${chainId} is missing, on which ${intents} open intents need this solver until ${time}: without it their bonds would be lost. Stop bidding (POST /stop) before you remove a chain`
  })
}

async function findOtherBridges(
  db: Db,
  account: Address,
  chains: readonly Pick<ChainConfig, 'chainId' | 'name' | 'bridge'>[],
): Promise<string[]> {
  const { rows } = await sql<{ chainId: number; bridge: string }>`
    select distinct chain_id as "chainId", to_address as bridge from app.transaction
    where account = ${account.toLowerCase()} and state = 'confirmed'
      and kind in ('bid', 'deposit', 'deliver')`.execute(db)
  return chains.flatMap(({ chainId, name, bridge }) => {
    const other = rows.find((row) => row.chainId === chainId && row.bridge !== bridge.toLowerCase())
    return other
      ? [
          `CHAINS: the bridge of ${name} is ${bridge}, and SOLVER_DATABASE_URL was used with ${other.bridge}: finish the intents there, then name an empty database`,
        ]
      : []
  })
}
