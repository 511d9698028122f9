import { CompiledQuery, sql } from 'kysely'
import { BUNDLE_INDEX } from '../../../../core/settlement/calculatePayments.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../../src/intent/intentFacts.ts'
import type { Replaced } from '../../../enclave/enclaveInterface.ts'
import type { Db } from '../../../store/database/openDatabase.ts'
import { keepRecipients } from '../registration/registeredRecipientStore.ts'

/** A row of `app.stealth_entry`: address and Safe of one delivery of an intent to a recipient. */
export type StealthEntry = {
  /** The recipient's tag; see the enclave's `tagRecipients`. */
  tag: Hex
  /** The destination chain. */
  chainId: number
  intentId: bigint
  /** 0 unless an intent has several deliveries to one recipient. */
  index: number
  /** Lower case, as is `safeAddress`. */
  stealthAddress: Hex
  /** 65 bytes. */
  ephemeralPubKey: Hex
  /** 0 to 255. */
  viewTag: number
  safeAddress: Hex
  saltNonce: bigint
  /** The delivery, sealed by the enclave for itself. */
  ticket: Hex
  /** Tag of the unsigned caller that requested it; null for anyone else. */
  askedBy: Hex | null
  /** Unix seconds. */
  createdAt: number
}

/** The rows of the Safes at which an intent's registered wallets are paid. */
export function toStealthEntries(
  {
    destChainId: chainId,
    intentId,
    createdAt,
  }: Pick<SourceFacts, 'destChainId' | 'intentId' | 'createdAt'>,
  replaced: readonly Replaced[],
): StealthEntry[] {
  return replaced.map(({ position: _, spendPubKey: __, viewPubKey: ___, ...stealth }) => ({
    ...stealth,
    chainId,
    intentId,
    createdAt,
    askedBy: null,
  }))
}

/**
 * Records deliveries' destinations. Existing rows stay: what another operator's enclave returns besides its signatures
 * may be false.
 *
 * @returns how many were new
 */
export async function insertEntries(db: Db, entries: readonly StealthEntry[]): Promise<number> {
  if (entries.length === 0) return 0
  const tags = entries.map(({ tag }) => tag)
  await keepRecipients(db, tags)
  const { text, values } = insertStatement(entries)
  const { numAffectedRows = 0n } = await db.executeQuery(CompiledQuery.raw(text, values))
  return Number(numAffectedRows)
}

/**
 * Deletes the Safes of an intent's bundle that were never shown to anyone and never used: an intent that pays nobody
 * must not fill its recipients' lists. Addresses that someone requested stay. So do those of a reveal: its winner may
 * pay them even if the deposit left the chain, and a stored reveal is served without recording them anew.
 */
export async function deleteUnpaidEntries(
  db: Db,
  {
    sourceChainId,
    intentId,
    destChainId,
  }: Pick<SourceFacts, 'sourceChainId' | 'intentId' | 'destChainId'>,
): Promise<void> {
  await sql`
    with gone as (
      delete from app.stealth_entry e
      where e.intent_id = ${String(intentId)}::numeric and e.chain_id = ${destChainId}::bigint
        and e.delivery_index >= ${BUNDLE_INDEX}::integer and e.deployed_seen_at is null
        and not exists (select from app.safe_balance b
          where b.chain_id = e.chain_id and b.safe_address = e.safe_address)
        and not exists (select from app.signed s
          where s.kind = 'reveal' and s.source_chain_id = ${sourceChainId}::bigint
            and s.intent_id = e.intent_id)
      returning e.chain_id, e.safe_address),
    followed as materialized (
      select f.chain_id, f.safe_address from app.followed_safe f
      join gone using (chain_id, safe_address) order by f.safe_address for update of f)
    delete from app.followed_safe f using followed
    where f.chain_id = followed.chain_id and f.safe_address = followed.safe_address`.execute(db)
}

type Column = [name: string, type: string, read: (entry: StealthEntry) => unknown]

/** Columns of an entry with their types, and its values in a statement. */
const COLUMNS: readonly Column[] = [
  ['tag', 'bytea', ({ tag }) => bytea(tag)],
  ['chain_id', 'bigint', ({ chainId }) => chainId],
  ['intent_id', 'numeric', ({ intentId }) => String(intentId)],
  ['delivery_index', 'integer', ({ index }) => index],
  ['stealth_address', 'text', ({ stealthAddress }) => stealthAddress],
  ['ephemeral_pub_key', 'bytea', ({ ephemeralPubKey }) => bytea(ephemeralPubKey)],
  ['view_tag', 'smallint', ({ viewTag }) => viewTag],
  ['safe_address', 'text', ({ safeAddress }) => safeAddress],
  ['salt_nonce', 'numeric', ({ saltNonce }) => String(saltNonce)],
  ['ticket', 'bytea', ({ ticket }) => bytea(ticket)],
  ['asked_by', 'bytea', ({ askedBy }) => askedBy && bytea(askedBy)],
  ['created_at', 'bigint', ({ createdAt }) => createdAt],
]
const NAMES = COLUMNS.map(([name]) => name).join(', ')
const UNNESTED = `unnest(${COLUMNS.map(([, type], at) => `$${at + 1}::${type}[]`).join(', ')})`

/** The statement that records entries, and its parameters. */
export function insertStatement(entries: readonly StealthEntry[]) {
  return {
    text: `insert into app.stealth_entry (${NAMES}) select * from ${UNNESTED} on conflict do nothing`,
    values: valuesOf(entries),
  }
}

/** The parameters of `UNNESTED`. */
function valuesOf(entries: readonly StealthEntry[]): unknown[][] {
  return COLUMNS.map(([, , read]) => entries.map(read))
}

/** Bytes as the text of a `bytea`. */
export function bytea(hex: Hex): string {
  return `\\x${hex.slice(2)}`
}

/** Deletes rows that contradict these entries; see `deleteFalseStatement`. */
export async function deleteFalse(db: Db, entries: readonly StealthEntry[]): Promise<void> {
  const { text, values } = deleteFalseStatement(entries)
  await db.executeQuery(CompiledQuery.raw(text, values))
}

/**
 * The statement that deletes rows that contradict these entries' deliveries, or assign their Safes to other deliveries, and
 * its parameters. Only for what the relayer's own enclave has just derived. Doesn't compare tickets, which differ each time
 * they are sealed.
 */
export function deleteFalseStatement(entries: readonly StealthEntry[]) {
  const isFalse = `(e.tag, e.intent_id, e.delivery_index, e.stealth_address, e.ephemeral_pub_key, e.view_tag,
    e.safe_address, e.salt_nonce) is distinct from (derived.tag, derived.intent_id, derived.delivery_index,
    derived.stealth_address, derived.ephemeral_pub_key, derived.view_tag, derived.safe_address, derived.salt_nonce)`
  // Two joins, since one on either condition would compare each entry with each row.
  const text = `
    with derived (${NAMES}) as materialized (select * from ${UNNESTED}), false_entry as (
      select e.id from derived join app.stealth_entry e using (chain_id, safe_address) where ${isFalse}
      union all
      select e.id from derived join app.stealth_entry e using (tag, chain_id, intent_id, delivery_index)
      where ${isFalse})
    delete from app.stealth_entry where id in (select id from false_entry)`
  return { text, values: valuesOf(entries) }
}
