import { sql } from 'kysely'
import type { Db } from '../store/database.ts'
import { notifyBundle } from './bundleNotice.ts'
import type { CiphertextDigests } from './ciphertextDigests.ts'
import { asBytes, claimCiphertext } from './claimCiphertext.ts'
import type { StoredBundle } from './storedBundle.ts'

/**
 * Writes an intent's first bundle and claims its ciphertext, both or neither.
 *
 * @returns false when the intent has one already: the first write wins
 * @throws BundleError `CIPHERTEXT_REUSED`
 */
export function insertBundle(
  db: Db,
  bundle: StoredBundle,
  ciphertext: CiphertextDigests | null,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { sourceChainId, intentId, sealed, feeBps, origin, ciphertextDigest, storedAt } = bundle
    const inserted = await sql`
      insert into app.bundle
        (source_chain_id, intent_id, sealed, fee_bps, origin, ciphertext_digest, stored_at)
      values (${sourceChainId}::bigint, ${String(intentId)}::numeric, ${asBytes(sealed)},
        ${feeBps}::integer, ${origin}, ${ciphertextDigest && asBytes(ciphertextDigest)},
        ${storedAt}::bigint)
      on conflict (source_chain_id, intent_id) do nothing`.execute(transaction)
    if (inserted.numAffectedRows !== 1n) return false
    if (ciphertext) await claimCiphertext(transaction, bundle, ciphertext, false)
    await notifyBundle(transaction, bundle)
    return true
  })
}
