import { sql } from 'kysely'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'
import type { CiphertextDigests } from './ciphertextDigests.ts'
import { asBytes } from './claimCiphertext.ts'

/**
 * Lets a creation's ciphertext follow its creation: a reorg has put it under another id, and the one that
 * it had is nobody's or another creation's now. What was replaced meanwhile serves nothing any more, here
 * as elsewhere.
 *
 * @param key under which the creation is now
 * @param blob the creation's own
 * @returns false when the ciphertext serves an intent that is still there
 */
export async function followCreation(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
  blob: Hex,
  { digest, ephemeralKeyDigest }: CiphertextDigests,
): Promise<boolean> {
  const moved = await sql`
    update app.used_ciphertext used set intent_id = ${String(intentId)}::numeric
    where used.ephemeral_key_digest = ${asBytes(ephemeralKeyDigest)} and not used.superseded
      and used.source_chain_id = ${sourceChainId}::bigint
      and exists (select from app.bundle b where b.source_chain_id = used.source_chain_id
        and b.intent_id = used.intent_id and b.ciphertext_digest = ${asBytes(digest)})
      and not exists (select from cairn.event e where e.source_chain_id = used.source_chain_id
        and e.intent_id = used.intent_id and e.type = 'IntentCreated'
        and e.args ->> 'encryptedBlob' = ${blob.toLowerCase()})`.execute(db)
  return moved.numAffectedRows === 1n
}
