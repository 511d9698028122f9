import { sql } from 'kysely'
import type { ProvenSlots } from '../../chain/proof/storageProofReader.ts'
import type { Db } from '../../store/database/openDatabase.ts'

/** The subject of evidence: an intent on its source chain, a delivery on its destination. */
export type EvidenceKey = { chainId: number; subject: string }

/** The stored evidence; null without any. A row that isn't evidence, which would fail every attempt, is replaced. */
export async function findEvidence(
  db: Db,
  { chainId, subject }: EvidenceKey,
): Promise<ProvenSlots['evidence'] | null> {
  const { rows } = await sql<{ document: ProvenSlots['evidence'] }>`
    select document from app.evidence
    where chain_id = ${chainId}::bigint and subject = ${subject}`.execute(db)
  const document = rows[0]?.document
  return document && isEvidence(document) ? document : null
}

function isEvidence({
  blockNumber,
  accountProof,
  storageProofs,
}: ProvenSlots['evidence']): boolean {
  return (
    Number.isSafeInteger(blockNumber) &&
    Array.isArray(accountProof) &&
    Array.isArray(storageProofs) &&
    storageProofs.every((one) => typeof one?.slot === 'string' && Array.isArray(one.proof))
  )
}

/** Stores evidence, replacing earlier evidence about the same. */
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

/** Maximum number of rows, and the age at which one is useless. */
const MOST = 20_000
const FORGET_AFTER = '1 day'

/** Deletes old rows, and the oldest if there are too many. */
export async function pruneEvidence(db: Db): Promise<void> {
  await sql`delete from app.evidence where fetched_at < now() - ${FORGET_AFTER}::interval
    or fetched_at < (select fetched_at from app.evidence order by fetched_at desc
      offset ${MOST} limit 1)`.execute(db)
}
