import { sql } from 'kysely'
import { asBytes } from '../../../store/database/columns.ts'
import type { Db } from '../../../store/database/database.ts'
import { keepRecipients } from '../registration/saveRecipient.ts'
import type { StealthEntry } from './stealthEntry.ts'

/**
 * Records where deliveries go. Existing rows stay: what an enclave, perhaps another operator's, says beside what it
 * signs may be false.
 *
 * @returns how many were new
 */
export async function insertEntries(db: Db, entries: readonly StealthEntry[]): Promise<number> {
  if (entries.length === 0) return 0
  const tags = entries.map(({ tag }) => tag)
  await keepRecipients(db, tags)
  let inserted = 0
  for (const entry of entries) {
    const { tag, chainId, intentId, index, stealthAddress, ephemeralPubKey, viewTag } = entry
    const { safeAddress, saltNonce, ticket, askedBy, createdAt } = entry
    const { numAffectedRows } = await sql`
      insert into app.stealth_entry
        (tag, chain_id, intent_id, delivery_index, stealth_address, ephemeral_pub_key, view_tag,
         safe_address, salt_nonce, ticket, asked_by, created_at)
      values (${asBytes(tag)}, ${chainId}::bigint, ${String(intentId)}::numeric, ${index}::integer,
        ${stealthAddress}, ${asBytes(ephemeralPubKey)}, ${viewTag}::smallint, ${safeAddress},
        ${String(saltNonce)}::numeric, ${asBytes(ticket)}, ${askedBy && asBytes(askedBy)},
        ${createdAt}::bigint)
      on conflict do nothing`.execute(db)
    inserted += Number(numAffectedRows ?? 0n)
  }
  return inserted
}

/**
 * Deletes rows that contradict this entry's delivery, or give its Safe to another delivery. Only for what the
 * relayer's own enclave has just derived. Doesn't compare tickets, which differ each time they are sealed.
 */
export async function deleteFalse(db: Db, entry: StealthEntry): Promise<void> {
  const { tag, chainId, intentId, index, stealthAddress, ephemeralPubKey, viewTag } = entry
  const { safeAddress, saltNonce } = entry
  await sql`
    delete from app.stealth_entry
    where chain_id = ${chainId}::bigint
      and (safe_address = ${safeAddress} or (tag = ${asBytes(tag)}
        and intent_id = ${String(intentId)}::numeric and delivery_index = ${index}::integer))
      and (tag, intent_id, delivery_index, stealth_address, ephemeral_pub_key, view_tag,
        safe_address, salt_nonce) is distinct from (${asBytes(tag)},
        ${String(intentId)}::numeric, ${index}::integer, ${stealthAddress},
        ${asBytes(ephemeralPubKey)}, ${viewTag}::smallint, ${safeAddress},
        ${String(saltNonce)}::numeric)`.execute(db)
}
