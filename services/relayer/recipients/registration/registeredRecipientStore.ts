import { type RawBuilder, sql } from 'kysely'
import { bytesToHex } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Enclave } from '../../../enclave/enclaveInterface.ts'
import { asBytes } from '../../../store/database/columnSql.ts'
import type { Db } from '../../../store/database/openDatabase.ts'

/** A recipient's public keys, 65 bytes each. */
type RecipientKeys = { spendPubKey: Hex; viewPubKey: Hex }

/** Maximum number of wallets that one registration deletes. */
const FORGOTTEN_AT_ONCE = 100

/**
 * Registers a recipient once; later calls return the same keys. A first registration also deletes some expired wallets.
 *
 * @param tags the recipient's, one per root, newest first
 * @param ticket the enclave's own proof that the wallet is registered
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
  // A registration restored by recovery has none.
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

/** A registered recipient's keys; null when it isn't registered. */
export async function findRecipient(db: Db, tags: readonly Hex[]): Promise<RecipientKeys | null> {
  const { rows } = await sql<{ spend: Uint8Array; view: Uint8Array }>`
    select spend_pub_key as spend, view_pub_key as view from app.recipient
    where tag = any(${byteArray(tags)}) order by registered_at limit 1`.execute(db)
  const [row] = rows
  return row ? { spendPubKey: bytesToHex(row.spend), viewPubKey: bytesToHex(row.view) } : null
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
  const { rows } = await sql<{ tag: Uint8Array }>`
    select tag from app.recipient where tag = any(${byteArray(tags.flat())})`.execute(db)
  const known = new Set<Hex>(rows.map(({ tag }) => bytesToHex(tag)))
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
