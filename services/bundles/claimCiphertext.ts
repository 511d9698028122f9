import { type RawBuilder, sql } from 'kysely'
import { hexToBytes } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'
import { BundleError } from './bundleError.ts'
import type { CiphertextDigests } from './ciphertextDigests.ts'

/**
 * Notes that a ciphertext and its ephemeral key serve this intent. One whose bundle was replaced serves
 * none any more.
 *
 * @param mustBeNew whether this very intent may not have used it before either
 * @throws BundleError `CIPHERTEXT_REUSED`
 */
export async function claimCiphertext(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
  { digest, ephemeralKeyDigest }: CiphertextDigests,
  mustBeNew: boolean,
): Promise<void> {
  // In one order for everybody, so that two requests never wait for each other.
  const digests = [digest, ephemeralKeyDigest].sort()
  for (const one of digests) {
    const claimed = await sql`
      insert into app.used_ciphertext (digest, source_chain_id, intent_id)
      values (${asBytes(one)}, ${sourceChainId}::bigint, ${String(intentId)}::numeric)
      on conflict (digest) do nothing`.execute(db)
    if (claimed.numAffectedRows === 1n) continue
    if (mustBeNew || !(await serves(db, one, { sourceChainId, intentId }))) {
      throw new BundleError('CIPHERTEXT_REUSED', 'the ciphertext was used before: encrypt afresh')
    }
  }
}

async function serves(db: Db, digest: Hex, key: IntentKey): Promise<boolean> {
  const { rows } = await sql`select from app.used_ciphertext
    where digest = ${asBytes(digest)} and not superseded
    and source_chain_id = ${key.sourceChainId}::bigint
    and intent_id = ${String(key.intentId)}::numeric`.execute(db)
  return rows.length === 1
}

/** A digest as a `bytea` parameter. */
export function asBytes(hex: Hex): RawBuilder<Uint8Array> {
  return sql`${Buffer.from(hexToBytes(hex))}::bytea`
}
