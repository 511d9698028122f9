import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { asBytes } from '../../store/database/columnSql.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { BundleError } from '../terms/bundleError.ts'
import { requestReconcile } from '../terms/requestReconcile.ts'
import {
  type Creation,
  isRow,
  type SealedBundle,
  type StoredBundle,
} from './recipientBundleStore.ts'

/** Hashes that bind a ciphertext to one intent: SHA-256 of it, and of its first 65 bytes, the key. */
export type CiphertextDigests = { digest: Hex; ephemeralKeyDigest: Hex }

/**
 * The database's clock, which also dates what the reconciler has done. If an API whose clock is behind dated a replacement,
 * it would look older than the last append, and the reconciler would never put it on chain.
 */
const NOW = sql`extract(epoch from clock_timestamp())::bigint`

/**
 * Saves a bundle and binds its ciphertext, both or neither.
 *
 * @param instead the row that must exist and is replaced; null: none
 * @returns false when something else is stored by now: the caller then reads again
 * @throws BundleError `CIPHERTEXT_REUSED`
 */
export function saveBundleRow(
  db: Db,
  bundle: SealedBundle,
  ciphertext: CiphertextDigests | null,
  instead: StoredBundle | null,
): Promise<boolean> {
  const { sourceChainId, intentId, paramsHash, n, isSigned } = bundle
  const sealed = asBytes(bundle.sealed)
  const digest = bundle.ciphertextDigest && asBytes(bundle.ciphertextDigest)
  const write = instead
    ? sql`
        update app.bundle set n = ${n}::bigint, is_signed = ${isSigned}, sealed = ${sealed},
          ciphertext_digest = ${digest}, stored_at = ${NOW},
          is_disputed = is_disputed and not ${isSigned}
        where ${isRow(instead)} and sealed = ${asBytes(instead.sealed)}`
    : sql`
        insert into app.bundle (source_chain_id, intent_id, params_hash, n, is_signed, sealed,
          ciphertext_digest, stored_at)
        values (${sourceChainId}::bigint, ${String(intentId)}::numeric, ${asBytes(paramsHash)},
          ${n}::bigint, ${isSigned}, ${sealed}, ${digest}, ${NOW})
        on conflict do nothing`
  return db.transaction().execute(async (transaction) => {
    const written = await write.execute(transaction)
    if (written.numAffectedRows !== 1n) return false
    if (ciphertext) await claimCiphertext(transaction, bundle, ciphertext)
    await requestReconcile(transaction, bundle)
    return true
  })
}

/**
 * Binds a ciphertext to this intent by its ephemeral key, which equal ciphertexts share. A creation that a reorg moved
 * to another id keeps its ciphertext.
 */
async function claimCiphertext(
  db: Db,
  { sourceChainId, intentId, paramsHash }: Creation,
  { ephemeralKeyDigest }: CiphertextDigests,
): Promise<void> {
  const [id, hash] = [String(intentId), asBytes(paramsHash)]
  const claimed = await sql`
    insert into app.used_ciphertext as used
      (ephemeral_key_digest, source_chain_id, intent_id, params_hash)
    values (${asBytes(ephemeralKeyDigest)}, ${sourceChainId}::bigint, ${id}::numeric, ${hash})
    on conflict (ephemeral_key_digest) do update set intent_id = excluded.intent_id
      where used.source_chain_id = excluded.source_chain_id
        and used.params_hash = excluded.params_hash
        and (used.intent_id = excluded.intent_id or not exists (select from cairn.intent i
          where i.source_chain_id = used.source_chain_id and i.intent_id = used.intent_id
            and i.params_hash = '0x' || encode(used.params_hash, 'hex')))`.execute(db)
  if (claimed.numAffectedRows === 1n) return
  throw new BundleError(
    'CIPHERTEXT_REUSED',
    'the ciphertext was used before: encrypt the bundle again',
  )
}

/** Prevents both of two unsigned bundles from being anchored until the sender signs one. */
export async function disputeBundle(db: Db, bundle: StoredBundle): Promise<void> {
  await sql`update app.bundle set is_disputed = true
    where ${isRow(bundle)} and not is_signed`.execute(db)
  await requestReconcile(db, bundle)
}
