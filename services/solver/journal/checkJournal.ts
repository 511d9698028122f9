import { setTimeout as pause } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Address } from 'viem'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { ConfigurationError } from '../../config/configurationError.ts'
import { ADVISORY_LOCK_CLASSES } from '../../store/database/advisoryLocks.ts'
import type { Db } from '../../store/database/openDatabase.ts'

/** Seconds after an auction in which its best bidder may still have to deposit; more than any bridge's windows. */
const PICKUP_SECONDS = 3_600

/**
 * Requires the configured key and chains to fit the journal.
 *
 * @param now unix seconds
 * @throws ConfigurationError when an intent still needs a chain that is missing, or an account that no instance works for,
 *   since the bond would be lost; or when a chain has another bridge than before, whose intents have the ids of the old
 *   one's: deliveries would be mistaken for each other
 */
export async function checkJournal(
  db: Db,
  account: Address,
  chains: readonly Pick<ChainConfig, 'chainId' | 'name' | 'bridge'>[],
  now: number,
): Promise<void> {
  const found = [
    ...(await findOtherAccounts(db, account, now)),
    ...(await findMissingChains(db, account, chains, now)),
    ...(await findOtherBridges(db, account, chains)),
  ]
  if (found.length > 0) throw new ConfigurationError(found)
}

/** SQL: open intents that need a deposit or delivery by their account, and until when. */
function neededIntents(now: number): RawBuilder<unknown> {
  return sql`(select * from (
      select *, case when fill_deadline > 0 then fill_deadline else end_time + ${PICKUP_SECONDS} end as until
      from solver.intent where outcome is null and phase <> 'outbid') as open
    where open.until > ${now})`
}

/** Checks, and milliseconds between them: an instance that starts at the same time may not hold its lock yet. */
const CHECKS = 6
const CHECK_EVERY_MS = 500

/** Accounts that nobody works for, as after the key was replaced. */
async function findOtherAccounts(
  db: Db,
  account: Address,
  now: number,
  checks = CHECKS,
): Promise<string[]> {
  const { rows } = await sql<{ other: string; until: number; intents: number }>`
    select account as other, max(until) as until, count(*)::integer as intents
    from ${neededIntents(now)} as needed where account <> ${account.toLowerCase()}
    group by account
    having pg_try_advisory_xact_lock(${ADVISORY_LOCK_CLASSES.solver}, hashtext(account))`.execute(
    db,
  )
  if (rows.length > 0 && checks > 1) {
    await pause(CHECK_EVERY_MS)
    return findOtherAccounts(db, account, now, checks - 1)
  }
  return rows.map(
    ({ other, until, intents }) =>
      `SOLVER_KEY_FILE: this is the key of ${account.toLowerCase()}, but ${intents} open intents need the solver ${other} until ${timeOf(until)}: without it their bonds would be lost. Start with its key, and stop its bidding (POST /stop) before you replace it`,
  )
}

async function findMissingChains(
  db: Db,
  account: Address,
  chains: readonly Pick<ChainConfig, 'chainId'>[],
  now: number,
): Promise<string[]> {
  const { rows } = await sql<{ chainId: number; until: number; intents: number }>`
    select chain.id as "chainId", max(needed.until) as until, count(*)::integer as intents
    from ${neededIntents(now)} as needed
    cross join lateral unnest(array[needed.source_chain_id, needed.dest_chain_id]) as chain (id)
    where needed.account = ${account.toLowerCase()} and chain.id <> all(${chains.map(({ chainId }) => chainId)}::bigint[])
    group by chain.id order by chain.id`.execute(db)
  return rows.map(
    ({ chainId, until, intents }) =>
      `CHAINS: chain ${chainId} is missing, on which ${intents} open intents need this solver until ${timeOf(until)}: without it their bonds would be lost. Stop bidding (POST /stop) before you remove a chain`,
  )
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString()
}

/** Reads only the latest call on each chain: earlier starts checked the others. */
async function findOtherBridges(
  db: Db,
  account: Address,
  chains: readonly Pick<ChainConfig, 'chainId' | 'name' | 'bridge'>[],
): Promise<string[]> {
  const { rows } = await sql<{ chainId: number; bridge: string }>`
    select chain.id as "chainId", latest.to_address as bridge
    from unnest(${chains.map(({ chainId }) => chainId)}::bigint[]) as chain (id)
    cross join lateral (select to_address from app.transaction
      where account = ${account.toLowerCase()} and chain_id = chain.id and state = 'confirmed'
        and tx_hash is not null and kind in ('bid', 'deposit', 'deliver')
      order by nonce desc limit 1) as latest`.execute(db)
  return chains.flatMap(({ chainId, name, bridge }) => {
    const other = rows.find((row) => row.chainId === chainId && row.bridge !== bridge.toLowerCase())
    return other
      ? [
          `CHAINS: the bridge of ${name} is ${bridge}, and SOLVER_DATABASE_URL was used with ${other.bridge}: finish the intents there, then name an empty database`,
        ]
      : []
  })
}
