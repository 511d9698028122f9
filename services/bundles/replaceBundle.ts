import { sql } from 'kysely'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Db } from '../store/database.ts'
import { appendBlob } from './appendBlob.ts'
import { BundleError } from './bundleError.ts'
import { notifyBundle } from './bundleNotice.ts'
import type { CiphertextDigests } from './ciphertextDigests.ts'
import { asBytes, claimCiphertext } from './claimCiphertext.ts'
import { findBundle } from './findBundle.ts'
import { findLatestSealed } from './findLatestSealed.ts'
import { lockHandling } from './lockHandling.ts'
import type { StoredBundle } from './storedBundle.ts'

/** Replacements of an anchored bundle: each costs the relayer a transaction. */
const MOST_REPLACEMENTS = 3

/**
 * Puts another bundle in an intent's place: in the row itself while nobody was told to anchor it, by a
 * blob that is appended on chain from then on. The caller has seen to it that the sender wants it and
 * that nobody has deposited.
 *
 * @param isAnchored whether the chain says so, whatever we remember
 * @param judged the blob that was found to be of this creation and to say something else
 * @returns `changed`, and nothing done, when something else than `judged` is stored by now
 * @throws BundleError `CIPHERTEXT_REUSED`, also for a ciphertext that this intent has used: an old
 *   request that is sent again must not bring back what was replaced; `FEE_TIER_FIXED`;
 *   `ALREADY_STORED` after too many replacements
 */
export function replaceBundle(
  db: Db,
  bundle: StoredBundle,
  ciphertext: CiphertextDigests,
  { isAnchored, judged }: { isAnchored: boolean; judged: Hex },
): Promise<'replaced' | 'appended' | 'changed'> {
  return db.transaction().execute(async (transaction) => {
    const { anchoringAt } = await lockHandling(transaction, bundle)
    if ((await findLatestSealed(transaction, bundle)) !== judged) return 'changed'
    await supersede(transaction, bundle)
    await claimCiphertext(transaction, bundle, ciphertext, true)
    if (anchoringAt || isAnchored) {
      await append(transaction, bundle)
      return 'appended'
    }
    await overwrite(transaction, bundle)
    return 'replaced'
  })
}

/** What was signed before must not come back, also if an operator deletes what takes its place. */
async function supersede(
  transaction: Db,
  { sourceChainId, intentId }: StoredBundle,
): Promise<void> {
  await sql`update app.used_ciphertext set superseded = true
    where source_chain_id = ${sourceChainId}::bigint
      and intent_id = ${String(intentId)}::numeric`.execute(transaction)
}

async function overwrite(transaction: Db, bundle: StoredBundle): Promise<void> {
  const { sourceChainId, intentId, sealed, feeBps, origin, ciphertextDigest, storedAt } = bundle
  await sql`
    update app.bundle set sealed = ${asBytes(sealed)}, fee_bps = ${feeBps}::integer,
      origin = ${origin}, ciphertext_digest = ${ciphertextDigest && asBytes(ciphertextDigest)},
      stored_at = ${storedAt}::bigint
    where source_chain_id = ${sourceChainId}::bigint
      and intent_id = ${String(intentId)}::numeric`.execute(transaction)
  await notifyBundle(transaction, bundle)
}

async function append(transaction: Db, bundle: StoredBundle): Promise<void> {
  const { sourceChainId, intentId, feeBps } = bundle
  const anchored = await findBundle(transaction, bundle)
  // The other way round the sender pays for more than it gets, and has signed for it.
  if (!anchored || anchored.feeBps < feeBps) {
    const words = 'the fee tier is on chain already: cancel the intent and create another'
    throw new BundleError('FEE_TIER_FIXED', words)
  }
  const { rows } = await sql<{ count: number }>`select count(*) as count from app.appended_blob
    where source_chain_id = ${sourceChainId}::bigint and intent_id = ${String(intentId)}::numeric
      and purpose = 'bundle'`.execute(transaction)
  if ((rows[0]?.count ?? 0) >= MOST_REPLACEMENTS) {
    throw new BundleError('ALREADY_STORED', 'Recipients already stored')
  }
  await appendBlob(transaction, { ...bundle, purpose: 'bundle' })
}
