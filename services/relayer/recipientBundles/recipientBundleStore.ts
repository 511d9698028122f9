import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { BlobContents, BundleContents, Enclave } from '../../enclave/enclaveInterface.ts'
import { asBytes } from '../../store/database/columnSql.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'
import type { SafePrice } from '../recipients/sponsored/sponsoredGasQuota.ts'
import { BundleError } from '../terms/bundleError.ts'
import { blobBindingsOf, type IntentTerms } from '../terms/intentTerms.ts'
import type { GuessLimiter } from './guessLimiter.ts'

/** Dependencies of storing and opening bundles. */
export type BundleContext = {
  /** May write schema `app`. */
  db: Db
  enclave: Pick<Enclave, 'sealBlob' | 'openBlob' | 'tagRecipients' | 'deriveStealth'>
  /** Whether unsigned recipients may count on a chain. */
  modeOn: (chainId: number) => 'strict' | 'compat'
  /** A configured chain's bridge; null for another chain. */
  bridgeOn: (chainId: number) => Hex | null
  /** How many Safes an intent's fee pays for. */
  safePrice: SafePrice
  guesses: GuessLimiter
  /** Unix seconds. */
  now: () => number
}

/** Identifies a creation: after a reorg another one may have the same id. */
export type Creation = IntentKey & { paramsHash: Hex }

/** A row of `app.bundle`: a bundle that isn't on chain yet. */
export type StoredBundle = Creation & {
  n: number
  /** Whether it contains the sender's signature. */
  isSigned: boolean
  /** From `sealBlob`, for the enclave itself: 512·k bytes. */
  sealed: Hex
  /** SHA-256 of the sender's ciphertext; null for plaintext. */
  ciphertextDigest: Hex | null
  /** Two different ones came without a signature. */
  isDisputed: boolean
  /** Unix seconds by the database's clock. */
  storedAt: number
}

/** A bundle that isn't stored yet. */
export type SealedBundle = Omit<StoredBundle, 'isDisputed' | 'storedAt'>

/** The stored bundle of this creation; null without one. */
export async function findBundle(db: Db, creation: Creation): Promise<StoredBundle | null> {
  const [found = null] = await selectBundles(db, sql`where ${isRow(creation)}`)
  return found
}

/** A page of stored bundles by chain and id, still sealed. */
export function listBundles(
  db: Db,
  { after, limit }: { after: IntentKey | null; limit: number },
): Promise<StoredBundle[]> {
  const beyond = after
    ? sql`where (source_chain_id, intent_id)
        > (${after.sourceChainId}::bigint, ${String(after.intentId)}::numeric)`
    : sql``
  return selectBundles(db, sql`${beyond} order by source_chain_id, intent_id limit ${limit}`)
}

async function selectBundles(db: Db, which: RawBuilder<unknown>): Promise<StoredBundle[]> {
  const { rows } = await sql<StoredBundle>`
    select source_chain_id as "sourceChainId", intent_id as "intentId",
      params_hash as "paramsHash", n, is_signed as "isSigned", sealed,
      ciphertext_digest as "ciphertextDigest", is_disputed as "isDisputed",
      stored_at as "storedAt" from app.bundle ${which}`.execute(db)
  return rows
}

/** SQL: whether a row belongs to this creation. */
export function isRow({ sourceChainId, intentId, paramsHash }: Creation): RawBuilder<boolean> {
  return sql`source_chain_id = ${sourceChainId}::bigint
    and intent_id = ${String(intentId)}::numeric and params_hash = ${asBytes(paramsHash)}`
}

/**
 * Opens a stored bundle: recipients as the sender named them.
 *
 * @throws BundleError `BUNDLE_UNREADABLE` when the enclave doesn't have its key; EnclaveError
 */
export async function openStoredBundle(
  { enclave }: Pick<BundleContext, 'enclave'>,
  terms: IntentTerms,
  { sealed }: Pick<StoredBundle, 'sealed'>,
): Promise<BlobContents> {
  const opened = await enclave.openBlob({ blob: sealed, expected: blobBindingsOf(terms) })
  if (opened.ok) return opened.contents
  throw new BundleError('BUNDLE_UNREADABLE', `the stored bundle can’t be opened: ${opened.reason}`)
}

/**
 * Creates a bundle's row, sealed by the enclave for itself.
 *
 * @param ciphertextDigest of the sender's ciphertext; null for plaintext
 */
export async function sealBundle(
  { enclave, now }: Pick<BundleContext, 'enclave' | 'now'>,
  terms: IntentTerms,
  contents: BundleContents & Pick<BlobContents, 'signature'>,
  ciphertextDigest: Hex | null,
): Promise<SealedBundle> {
  const { recipients, amounts, n, salt, metadata, viewers, signature } = contents
  const { blob: sealed } = await enclave.sealBlob({
    ...blobBindingsOf(terms),
    recipients,
    amounts,
    n,
    salt,
    metadata,
    viewers,
    signature,
    createdAt: now(),
  })
  const { sourceChainId, intentId, paramsHash } = terms
  const isSigned = signature !== undefined
  return { sourceChainId, intentId, paramsHash, n, isSigned, sealed, ciphertextDigest }
}

/** Who deleted, for the journal. */
type Deletion = { tokenId: string; requestId: string }

/**
 * Deletes an intent's stored bundle, and records who did. Its ciphertext stays bound to the intent. What is on chain
 * stays there, sealed.
 */
export function deleteBundle(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
  { tokenId, requestId }: Deletion,
): Promise<'deleted' | 'not_found'> {
  const id = String(intentId)
  return db.transaction().execute(async (transaction) => {
    const deleted = await sql`delete from app.bundle
      where source_chain_id = ${sourceChainId}::bigint and intent_id = ${id}::numeric`.execute(
      transaction,
    )
    if (deleted.numAffectedRows === 0n) return 'not_found'
    await sql`
      insert into app.bundle_deletion (source_chain_id, intent_id, token_id, request_id)
      values (${sourceChainId}::bigint, ${id}::numeric, ${tokenId}, ${requestId})`.execute(
      transaction,
    )
    return 'deleted'
  })
}
