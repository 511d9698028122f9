import { sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { asBytes } from '../../../store/database/columns.ts'
import type { Db } from '../../../store/database/database.ts'
import { BundleError } from '../../terms/bundleError.ts'
import type { IntentTerms } from '../../terms/intentTerms.ts'

/** What makes one ciphertext serve one intent only: SHA-256 of it, and of the 65-byte key at its front. */
export type CiphertextDigests = { digest: Hex; ephemeralKeyDigest: Hex }

/**
 * Notes that a ciphertext serves this intent, by the ephemeral key at its front: two that are the same
 * have the same key. A creation that a reorg moved to another id keeps its ciphertext.
 *
 * @throws BundleError `CIPHERTEXT_REUSED`
 */
export async function claimCiphertext(
  db: Db,
  {
    sourceChainId,
    intentId,
    paramsHash,
  }: Pick<IntentTerms, 'sourceChainId' | 'intentId' | 'paramsHash'>,
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
