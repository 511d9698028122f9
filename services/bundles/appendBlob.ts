import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { hexToBytes } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'
import { notifyBundle } from './bundleNotice.ts'
import { asBytes } from './claimCiphertext.ts'

/** A blob that waits to go on chain by `appendBlob`, or has gone: a row of `app.appended_blob`. */
export type AppendedBlob = IntentKey & {
  sealed: Hex
  purpose: 'bundle' | 'metadata'
  /** Unix seconds. */
  storedAt: number
}

/**
 * Puts a blob in the queue for `appendBlob`, within a transaction.
 *
 * @returns false for metadata when the intent has some already
 */
export async function appendBlob(transaction: Db, blob: AppendedBlob): Promise<boolean> {
  const { sourceChainId, intentId, sealed, purpose, storedAt } = blob
  const digest = createHash('sha256').update(hexToBytes(sealed)).digest()
  const inserted = await sql`
    insert into app.appended_blob
      (source_chain_id, intent_id, digest, sealed, purpose, stored_at)
    values (${sourceChainId}::bigint, ${String(intentId)}::numeric, ${digest}, ${asBytes(sealed)},
      ${purpose}, ${storedAt}::bigint)
    on conflict do nothing`.execute(transaction)
  if (inserted.numAffectedRows !== 1n) return false
  await notifyBundle(transaction, blob)
  return true
}
