import { sql } from 'kysely'
import { asBytes } from '../../../store/database/columns.ts'
import type { Db } from '../../../store/database/database.ts'
import { notifyBundle } from '../bundleNotice.ts'
import { isRow } from '../screening/guessLimit.ts'
import { type CiphertextDigests, claimCiphertext } from './claimCiphertext.ts'
import type { StoredBundle } from './storedBundle.ts'

/**
 * Writes a bundle and claims its ciphertext, both or neither.
 *
 * @param instead the row that must be there now and is replaced; null: none
 * @returns false when something else is there by now: the caller then reads again
 * @throws BundleError `CIPHERTEXT_REUSED`
 */
export function saveBundle(
  db: Db,
  bundle: Omit<StoredBundle, 'isDisputed'>,
  ciphertext: CiphertextDigests | null,
  instead: StoredBundle | null,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const written = instead
      ? await overwrite(transaction, bundle, instead)
      : await insert(transaction, bundle)
    if (written.numAffectedRows !== 1n) return false
    if (ciphertext) await claimCiphertext(transaction, bundle, ciphertext)
    await notifyBundle(transaction, bundle)
    return true
  })
}

function insert(transaction: Db, bundle: Omit<StoredBundle, 'isDisputed'>) {
  const { sourceChainId, intentId, paramsHash, n, isSigned, sealed, storedAt } = bundle
  const { ciphertextDigest } = bundle
  return sql`
    insert into app.bundle (source_chain_id, intent_id, params_hash, n, is_signed, sealed,
      ciphertext_digest, stored_at)
    values (${sourceChainId}::bigint, ${String(intentId)}::numeric, ${asBytes(paramsHash)},
      ${n}::bigint, ${isSigned}, ${asBytes(sealed)},
      ${ciphertextDigest && asBytes(ciphertextDigest)}, ${storedAt}::bigint)
    on conflict do nothing`.execute(transaction)
}

function overwrite(
  transaction: Db,
  { n, isSigned, sealed, ciphertextDigest, storedAt }: Omit<StoredBundle, 'isDisputed'>,
  instead: StoredBundle,
) {
  return sql`
    update app.bundle set n = ${n}::bigint, is_signed = ${isSigned}, sealed = ${asBytes(sealed)},
      ciphertext_digest = ${ciphertextDigest && asBytes(ciphertextDigest)},
      stored_at = ${storedAt}::bigint, is_disputed = false
    where ${isRow(instead)} and sealed = ${asBytes(instead.sealed)}`.execute(transaction)
}

/** Keeps both of two unsigned bundles from being anchored until the sender signs for one. */
export async function disputeBundle(db: Db, bundle: StoredBundle): Promise<void> {
  await sql`update app.bundle set is_disputed = true
    where ${isRow(bundle)} and not is_signed`.execute(db)
  await notifyBundle(db, bundle)
}
