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

/** Their own parts of the intent's fee pay, and no client has asked. */
const NOBODY: Asker = { client: null, take: () => {} }

/**
 * Asks for the deployment of the other Safes that an intent's sender names, so that one request deploys
 * them all. Each has a transaction of its own: in a common one, whoever deploys a single Safe first
 * makes all of it fail, at the relayer's cost. What isn't paid for now is left to its owner, who is
 * told why when it asks.
 *
 * @throws what keeps the chain's nodes from answering
 */
export async function deploySiblings(sponsorship: Sponsorship, entry: StealthEntry): Promise<void> {
  // Of what a stranger had made out nobody has shown that the intent pays it.
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
  // Compared here: the database's log of statements shall hold no Safe.
  return rows.map(toStealthEntry).filter((sibling) => sibling.safeAddress !== safeAddress)
}
