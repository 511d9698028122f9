import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Collected, SignedAnswer } from '../../quorum/collectSignatures.ts'
import { asBytes } from '../../store/database/columnSql.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'

type SignedKind = 'anchor' | 'append' | 'reveal' | 'settle' | 'undelivered'

/** What enclaves signed about an intent: everything that a call needs. A row of `app.signed`. */
export type SignedStatement = IntentKey & {
  kind: SignedKind
  paramsHash: Hex
  /** Hash of the bundle in an anchor or append; null if it carries no bundle that was sent to us. */
  proposalDigest: Hex | null
  /** The message's fields; large numbers as decimal text. */
  message: Record<string, string | number>
  /** The blob of an anchor or append, the sealed recipients of a reveal; null for the others. */
  bytes: Hex | null
  /** Sorted by signer. */
  signatures: Hex[]
  signers: Hex[]
}

/** Stores what was signed about an intent, replacing an earlier statement of the same kind. */
export async function saveSignedStatement(
  db: Db,
  kind: SignedKind,
  { sourceChainId, intentId, paramsHash }: Pick<SignedStatement, keyof IntentKey | 'paramsHash'>,
  { answer, signatures, signers }: Collected<SignedAnswer>,
  bytes: Hex | null = null,
  proposalDigest: Hex | null = null,
): Promise<void> {
  const message = JSON.stringify(answer.message, (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  await sql`
    insert into app.signed (kind, source_chain_id, intent_id, params_hash, proposal_digest, message,
      bytes, signatures, signers)
    values (${kind}, ${sourceChainId}::bigint, ${String(intentId)}::numeric, ${asBytes(paramsHash)},
      ${proposalDigest && asBytes(proposalDigest)}, ${message}::jsonb,
      ${bytes && asBytes(bytes)}, ${signatures}::text[], ${signers}::text[])
    on conflict (kind, source_chain_id, intent_id) do update set
      params_hash = excluded.params_hash, proposal_digest = excluded.proposal_digest,
      message = excluded.message, bytes = excluded.bytes, signatures = excluded.signatures,
      signers = excluded.signers, signed_at = clock_timestamp()`.execute(db)
}

/** What was signed about this creation; null when nothing was. */
export async function findSignedStatement(
  db: Db,
  kind: SignedKind,
  { sourceChainId, intentId, paramsHash }: IntentKey & { paramsHash: Hex },
): Promise<SignedStatement | null> {
  const { rows } = await sql<SignedStatement>`
    select kind, source_chain_id as "sourceChainId", intent_id as "intentId",
      params_hash as "paramsHash", proposal_digest as "proposalDigest", message, bytes, signatures,
      signers
    from app.signed where kind = ${kind} and source_chain_id = ${sourceChainId}::bigint
      and intent_id = ${String(intentId)}::numeric
      and params_hash = ${asBytes(paramsHash)}`.execute(db)
  return rows[0] ?? null
}
