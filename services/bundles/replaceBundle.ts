import { sql } from 'kysely'
import type { Db } from '../store/database.ts'
import { notifyBundle } from './bundleNotice.ts'
import type { CiphertextDigests } from './ciphertextDigests.ts'
import { asBytes, claimCiphertext } from './claimCiphertext.ts'
import { lockHandling } from './lockHandling.ts'
import type { StoredBundle } from './storedBundle.ts'

/**
 * Puts another bundle in an intent's place, as long as the one that is there was neither handed over
 * to be anchored nor told to a winner.
 *
 * @returns false when it was
 * @throws BundleError `CIPHERTEXT_REUSED`, also for a ciphertext that this intent has used: an old
 *   request that is sent again must not bring back what was replaced
 */
export function replaceBundle(
  db: Db,
  bundle: StoredBundle,
  ciphertext: CiphertextDigests,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { anchoringAt, revealedAt } = await lockHandling(transaction, bundle)
    if (anchoringAt || revealedAt) return false
    await claimCiphertext(transaction, bundle, ciphertext, true)
    const { sourceChainId, intentId, sealed, feeBps, origin, ciphertextDigest, storedAt } = bundle
    await sql`
      update app.bundle set sealed = ${asBytes(sealed)}, fee_bps = ${feeBps}::integer,
        origin = ${origin}, ciphertext_digest = ${ciphertextDigest && asBytes(ciphertextDigest)},
        stored_at = ${storedAt}::bigint
      where source_chain_id = ${sourceChainId}::bigint
        and intent_id = ${String(intentId)}::numeric`.execute(transaction)
    await notifyBundle(transaction, bundle)
    return true
  })
}
