import { sql } from 'kysely'
import type { ProvenSlots } from '../../chain/proof/storageReader.ts'
import type { Db } from '../../store/database/database.ts'

/** The subject of evidence: an intent on its source chain, a delivery on its destination. */
export type EvidenceKey = { chainId: number; subject: string }

/** The evidence that is kept; null when there is none. */
export async function findEvidence(
  db: Db,
  { chainId, subject }: EvidenceKey,
): Promise<ProvenSlots['evidence'] | null> {
  const { rows } = await sql<{ document: ProvenSlots['evidence'] }>`
    select document from app.evidence
    where chain_id = ${chainId}::bigint and subject = ${subject}`.execute(db)
  return rows[0]?.document ?? null
}

/** Keeps evidence, instead of what was kept of the same before. */
export async function keepEvidence(
  db: Db,
  { chainId, subject }: EvidenceKey,
  evidence: ProvenSlots['evidence'],
): Promise<void> {
  await sql`
    insert into app.evidence (chain_id, subject, block_number, document)
    values (${chainId}::bigint, ${subject}, ${evidence.blockNumber}::bigint,
      ${JSON.stringify(evidence)}::jsonb)
    on conflict (chain_id, subject) do update set block_number = excluded.block_number,
      document = excluded.document, fetched_at = clock_timestamp()`.execute(db)
}

/** Deletes evidence that has become useless, such as of a block that left its chain. */
export async function dropEvidence(db: Db, { chainId, subject }: EvidenceKey): Promise<void> {
  await sql`delete from app.evidence
    where chain_id = ${chainId}::bigint and subject = ${subject}`.execute(db)
}

/** Rows at most, and the time after which one is useless. */
const MOST = 20_000
const FORGET_AFTER = '1 day'

/** Deletes what is old, and the oldest if there is too much. */
export async function pruneEvidence(db: Db): Promise<void> {
  await sql`delete from app.evidence where fetched_at < now() - ${FORGET_AFTER}::interval
    or fetched_at < (select fetched_at from app.evidence order by fetched_at desc
      offset ${MOST} limit 1)`.execute(db)
}
