import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Enclave, ResponseOf } from '../../../enclave/enclaveInterface.ts'
import { asBytes } from '../../../store/database/columnSql.ts'
import type { Db } from '../../../store/database/openDatabase.ts'

/** Maximum number of wallets that one registration deletes. */
const FORGOTTEN_AT_ONCE = 100

/**
 * Registers a recipient under its newest root. Repeating it corrects a row that was changed: a wallet whose row lacks the
 * enclave's ticket would be paid in public. A first registration also deletes some expired wallets.
 *
 * @param registration the enclave's answer to the wallet's signature
 */
export async function saveRecipient(
  db: Db,
  { tags, spendPubKey, viewPubKey, ticket }: ResponseOf<'registerRecipient'>,
): Promise<void> {
  const isKnown = await isRegistered(db, tags)
  const [tag] = tags
  if (tag === undefined) throw new Error('a recipient without a tag')
  await sql`insert into app.recipient as known (tag, spend_pub_key, view_pub_key, ticket)
    values (${asBytes(tag)}, ${asBytes(spendPubKey)}, ${asBytes(viewPubKey)}, ${asBytes(ticket)})
    on conflict (tag) do update set
      spend_pub_key = excluded.spend_pub_key, view_pub_key = excluded.view_pub_key,
      ticket = excluded.ticket, forget_at = greatest(known.forget_at, excluded.forget_at)`.execute(
    db,
  )
  if (!isKnown) await forgetGone(db)
}

/** Skips locked rows: their wallets are being registered or paid now. */
async function forgetGone(db: Db): Promise<void> {
  await sql`delete from app.recipient where tag in (
    select tag from app.recipient where forget_at < now()
    order by forget_at limit ${FORGOTTEN_AT_ONCE} for update skip locked)`.execute(db)
}

/** Never deletes these recipients, who are about to be paid, under any root. */
export async function keepRecipients(db: Db, tags: readonly Hex[]): Promise<void> {
  await sql`update app.recipient set forget_at = 'infinity' where tag in (
    select tag from app.recipient where tag = any(${byteArray(tags)}) and forget_at < 'infinity'
    order by tag for update)`.execute(db)
}

/** Whether a recipient is registered, under any root. */
export async function isRegistered(db: Db, tags: readonly Hex[]): Promise<boolean> {
  const { rows } = await sql`
    select from app.recipient where tag = any(${byteArray(tags)}) limit 1`.execute(db)
  return rows.length > 0
}

/** A registered wallet, as deliveries on a chain address it. */
export type Registered = {
  /** Lower case. */
  recipientAddress: Hex
  /** The chain of a contract wallet; undefined for a key. */
  contractOn: number | undefined
  /** Its tags, one per root, newest first. */
  tags: Hex[]
}

/**
 * Which of these wallets are registered for deliveries on a chain: as keys, which are the same everywhere, or as
 * contracts on this chain, since the same address may have another owner on another chain.
 */
export async function findRegistered(
  db: Db,
  enclave: Pick<Enclave, 'tagRecipients'>,
  chainId: number,
  wallets: readonly Hex[],
): Promise<Map<Hex, Registered>> {
  const distinct = [...new Set(wallets.map((wallet) => wallet.toLowerCase() as Hex))]
  const recipients = distinct.flatMap((recipientAddress) => [
    { recipientAddress, contractOn: undefined },
    { recipientAddress, contractOn: chainId },
  ])
  const { tags } = await enclave.tagRecipients({ recipients })
  const { rows } = await sql<{ tag: Hex }>`
    select tag from app.recipient where tag = any(${byteArray(tags.flat())})`.execute(db)
  const known = new Set(rows.map(({ tag }) => tag))
  const registered = new Map<Hex, Registered>()
  for (const [position, recipient] of recipients.entries()) {
    const own = tags[position] ?? []
    // A key takes precedence over code at its address.
    if (registered.has(recipient.recipientAddress) || !own.some((tag) => known.has(tag))) continue
    registered.set(recipient.recipientAddress, { ...recipient, tags: own })
  }
  return registered
}

/** Byte strings as one `bytea[]` parameter. */
export function byteArray(values: readonly Hex[]): RawBuilder<Uint8Array[]> {
  return sql`${`{${values.map((value) => `"\\\\x${value.slice(2)}"`).join(',')}}`}::bytea[]`
}
