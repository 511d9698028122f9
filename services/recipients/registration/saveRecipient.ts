import { sql } from 'kysely'
import { bytesToHex } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { asBytes } from '../../bundles/claimCiphertext.ts'
import type { Db } from '../../store/database.ts'
import { byteArray } from '../entries/stealthEntry.ts'

/** A recipient's public keys, 65 bytes each. */
export type RecipientKeys = { spendPubKey: Hex; viewPubKey: Hex }

/**
 * Registers a recipient, once; every later call gives the keys of the first.
 *
 * @param tags what stands for the recipient, by each root, the newest first
 */
export async function saveRecipient(
  db: Db,
  tags: readonly Hex[],
  keys: RecipientKeys,
): Promise<RecipientKeys> {
  const known = await findRecipient(db, tags)
  if (known) return known
  const [tag] = tags
  if (tag === undefined) throw new Error('a recipient without a tag')
  await sql`insert into app.recipient (tag, spend_pub_key, view_pub_key)
    values (${asBytes(tag)}, ${asBytes(keys.spendPubKey)}, ${asBytes(keys.viewPubKey)})
    on conflict (tag) do nothing`.execute(db)
  return (await findRecipient(db, tags)) ?? keys
}

/** A registered recipient's keys; null when it isn't registered. */
export async function findRecipient(db: Db, tags: readonly Hex[]): Promise<RecipientKeys | null> {
  const { rows } = await sql<{ spend: Uint8Array; view: Uint8Array }>`
    select spend_pub_key as spend, view_pub_key as view from app.recipient
    where tag = any(${byteArray(tags)}) order by registered_at limit 1`.execute(db)
  const [row] = rows
  return row ? { spendPubKey: bytesToHex(row.spend), viewPubKey: bytesToHex(row.view) } : null
}
