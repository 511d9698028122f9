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

/** Columns of an entry, and its values in a statement. */
const COLUMNS = `tag, chain_id, intent_id, delivery_index, stealth_address, ephemeral_pub_key, view_tag,
  safe_address, salt_nonce, ticket, asked_by, created_at`
const UNNESTED = `unnest($1::bytea[], $2::bigint[], $3::numeric[], $4::integer[], $5::text[],
  $6::bytea[], $7::smallint[], $8::text[], $9::numeric[], $10::bytea[], $11::bytea[], $12::bigint[])`

/** The statement that records entries, and its parameters. */
export function insertStatement(entries: readonly StealthEntry[]) {
  return {
    text: `insert into app.stealth_entry (${COLUMNS}) select * from ${UNNESTED} on conflict do nothing`,
    values: valuesOf(entries),
  }
}

/** The parameters of `UNNESTED`. */
function valuesOf(entries: readonly StealthEntry[]): unknown[][] {
  const column = (read: (entry: StealthEntry) => unknown) => entries.map(read)
  return [
    column(({ tag }) => bytea(tag)),
    column(({ chainId }) => chainId),
    column(({ intentId }) => String(intentId)),
    column(({ index }) => index),
    column(({ stealthAddress }) => stealthAddress),
    column(({ ephemeralPubKey }) => bytea(ephemeralPubKey)),
    column(({ viewTag }) => viewTag),
    column(({ safeAddress }) => safeAddress),
    column(({ saltNonce }) => String(saltNonce)),
    column(({ ticket }) => bytea(ticket)),
    column(({ askedBy }) => askedBy && bytea(askedBy)),
    column(({ createdAt }) => createdAt),
  ]
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
    with derived (${COLUMNS}) as materialized (select * from ${UNNESTED}), false_entry as (
      select e.id from derived join app.stealth_entry e using (chain_id, safe_address) where ${isFalse}
      union all
      select e.id from derived join app.stealth_entry e using (tag, chain_id, intent_id, delivery_index)
      where ${isFalse})
    delete from app.stealth_entry where id in (select id from false_entry)`
  return { text, values: valuesOf(entries) }
}
