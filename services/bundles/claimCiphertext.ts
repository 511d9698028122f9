import { type RawBuilder, sql } from 'kysely'
import { hexToBytes } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'
import { BundleError } from './bundleError.ts'
import type { CiphertextDigests } from './ciphertextDigests.ts'

/**
 * Notes that a ciphertext serves this intent, by the ephemeral key at its front: two that are the same
 * have the same key. One whose bundle was replaced serves none any more.
 *
 * @param mustBeNew whether this very intent may not have used it before either
 * @throws BundleError `CIPHERTEXT_REUSED`
 */
export async function claimCiphertext(
  db: Db,
  key: IntentKey,
  { ephemeralKeyDigest }: CiphertextDigests,
  mustBeNew: boolean,
): Promise<void> {
  const claimed = await sql`
    insert into app.used_ciphertext (ephemeral_key_digest, source_chain_id, intent_id)
    values (${asBytes(ephemeralKeyDigest)}, ${key.sourceChainId}::bigint,
      ${String(key.intentId)}::numeric)
    on conflict (ephemeral_key_digest) do nothing`.execute(db)
  if (claimed.numAffectedRows === 1n) return
  if (mustBeNew || !(await serves(db, ephemeralKeyDigest, key))) {
    throw new BundleError('CIPHERTEXT_REUSED', 'the ciphertext was used before: encrypt afresh')
  }
}

async function serves(db: Db, ephemeralKeyDigest: Hex, key: IntentKey): Promise<boolean> {
  const { rows } = await sql`select from app.used_ciphertext
    where ephemeral_key_digest = ${asBytes(ephemeralKeyDigest)} and not superseded
    and source_chain_id = ${key.sourceChainId}::bigint
    and intent_id = ${String(key.intentId)}::numeric`.execute(db)
  return rows.length === 1
}

/** A digest as a `bytea` parameter. */
export function asBytes(hex: Hex): RawBuilder<Uint8Array> {
  return sql`${Buffer.from(hexToBytes(hex))}::bytea`
}
