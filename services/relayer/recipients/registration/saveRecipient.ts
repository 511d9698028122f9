import { sql } from 'kysely'
import { bytesToHex } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { asBytes } from '../../../store/database/columns.ts'
import type { Db } from '../../../store/database/database.ts'
import { byteArray } from '../entries/stealthEntry.ts'

/** A recipient's public keys, 65 bytes each. */
type RecipientKeys = { spendPubKey: Hex; viewPubKey: Hex }

/** The most wallets that one registration deletes. */
const FORGOTTEN_AT_ONCE = 100

/**
 * Registers a recipient, once; every later call returns the first keys. A first registration also deletes some
 * wallets whose time to be forgotten has come.
 *
 * @param tags the recipient's, one per root, the newest first
 * @param ticket the enclave's own note that the wallet is registered
 */
export async function saveRecipient(
  db: Db,
  tags: readonly Hex[],
  keys: RecipientKeys,
  ticket: Hex,
): Promise<RecipientKeys> {
  const known = await findRecipient(db, tags)
  const [tag] = tags
  if (tag === undefined) throw new Error('a recipient without a tag')
  // A registration that came back by recovery has none.
  await sql`insert into app.recipient as known (tag, spend_pub_key, view_pub_key, ticket)
    values (${asBytes(tag)}, ${asBytes(keys.spendPubKey)}, ${asBytes(keys.viewPubKey)},
      ${asBytes(ticket)})
    on conflict (tag) do update set
      ticket = coalesce(known.ticket, excluded.ticket),
      forget_at = greatest(known.forget_at, excluded.forget_at)`.execute(db)
  if (known) return known
  await forgetGone(db)
  return (await findRecipient(db, tags)) ?? keys
}

/** Skips locked rows: their wallets are just registering or being paid. */
async function forgetGone(db: Db): Promise<void> {
  await sql`delete from app.recipient where tag in (
    select tag from app.recipient where forget_at < now()
    order by forget_at limit ${FORGOTTEN_AT_ONCE} for update skip locked)`.execute(db)
}

/** Never forgets these recipients, who are about to be paid, under whichever root they registered. */
export async function keepRecipients(db: Db, tags: readonly Hex[]): Promise<void> {
  await sql`update app.recipient set forget_at = 'infinity' where tag in (
    select tag from app.recipient where tag = any(${byteArray(tags)}) and forget_at < 'infinity'
    order by tag for update)`.execute(db)
}

/** A registered recipient's keys; null when it isn't registered. */
export async function findRecipient(db: Db, tags: readonly Hex[]): Promise<RecipientKeys | null> {
  const { rows } = await sql<{ spend: Uint8Array; view: Uint8Array }>`
    select spend_pub_key as spend, view_pub_key as view from app.recipient
    where tag = any(${byteArray(tags)}) order by registered_at limit 1`.execute(db)
  const [row] = rows
  return row ? { spendPubKey: bytesToHex(row.spend), viewPubKey: bytesToHex(row.view) } : null
}
