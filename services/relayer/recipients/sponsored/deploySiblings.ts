import { sql } from 'kysely'
import { inParallel } from '../../../chain/transactions/inParallel.ts'
import type { Db } from '../../../store/database/database.ts'
import {
  ENTRY_COLUMNS,
  type EntryRow,
  type StealthEntry,
  toStealthEntry,
} from '../entries/stealthEntry.ts'
import { requestDeployment } from './requestDeployment.ts'
import { SponsorError } from './sponsorError.ts'
import type { Asker, Sponsorship } from './sponsorship.ts'

/** Safes about which the nodes are asked at once. */
const AT_ONCE = 8

/** Their own parts of the intent's fee pay; no client requested them. */
const NOBODY: Asker = { client: null, take: () => {} }

/**
 * Requests the deployment of the other Safes that an intent's sender names, so that one request deploys
 * them all. Each gets a separate transaction: a stranger who deploys a single Safe first would make a
 * common one fail, at the relayer's cost. Deployments that aren't paid for now are left to the owners,
 * who learn the reason when they ask.
 *
 * @throws what keeps the chain's nodes from answering
 */
export async function deploySiblings(sponsorship: Sponsorship, entry: StealthEntry): Promise<void> {
  // Nothing shows that the intent pays a Safe that a stranger requested.
  if (entry.askedBy !== null) return
  const siblings = await siblingsOf(sponsorship.db, entry)
  await inParallel(siblings, AT_ONCE, (sibling) =>
    requestDeployment(sponsorship, NOBODY, sibling).catch((error: unknown) => {
      if (!(error instanceof SponsorError)) throw error
    }),
  )
}

async function siblingsOf(
  db: Db,
  { intentId, chainId, safeAddress }: StealthEntry,
): Promise<StealthEntry[]> {
  const { rows } = await sql<EntryRow>`
    select ${sql.raw(ENTRY_COLUMNS)} from app.stealth_entry
    where chain_id = ${chainId}::bigint and intent_id = ${String(intentId)}::numeric
      and asked_by is null`.execute(db)
  // Compared here, so that the database's statement log contains no Safe.
  return rows.map(toStealthEntry).filter((sibling) => sibling.safeAddress !== safeAddress)
}
