import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Db } from '../../../store/database/openDatabase.ts'
import { byteArray } from '../registration/registeredRecipientStore.ts'
import type { StealthEntry } from './stealthEntryRows.ts'

/** An entry, when its Safe was last found deployed, and whether the deployment is settled. */
export type SeenEntry = StealthEntry & { deployedSeenAt: Date | null; deployedForGood: boolean }

/** Maximum number of entries in an answer. The enclave derives each, which takes half a second for so many. */
const MOST_ENTRIES = 1_000

/** The entry of a Safe on a chain; null when we issued no such Safe there. Lower case. */
export async function findEntryOfSafe(
  db: Db,
  chainId: number,
  safeAddress: Hex,
): Promise<StealthEntry | null> {
  const which = sql`chain_id = ${chainId}::bigint and safe_address = ${safeAddress}`
  const [entry = null] = await selectEntries(db, which)
  return entry
}

/** The entry of a stealth address, which belongs to one delivery only; null when we didn't issue it. */
export async function findEntryOfStealth(
  db: Db,
  stealthAddress: Hex,
): Promise<StealthEntry | null> {
  const [entry = null] = await selectEntries(db, sql`stealth_address = ${stealthAddress} limit 1`)
  return entry
}

/** All addresses issued for one intent on its destination chain. */
export function findEntriesOfIntent(
  db: Db,
  { intentId, chainId }: { intentId: bigint; chainId: number },
): Promise<StealthEntry[]> {
  const which = sql`intent_id = ${String(intentId)}::numeric and chain_id = ${chainId}::bigint`
  return selectEntries(db, sql`${which} order by id`)
}

/**
 * The last entry of a page of a recipient's. `rank`: 2 if its Safe holds a listed token, 1 if all have left, 0 if none
 * ever arrived.
 */
export type EntryPlace = Pick<StealthEntry, 'createdAt' | 'chainId' | 'safeAddress'> & {
  rank: number
}

/** Some of a recipient's entries, oldest first, and where the next page begins; null: there is none. */
type EntryPage = { entries: SeenEntry[]; last: EntryPlace | null }

/**
 * A page of the addresses issued to a recipient. Safes that hold something come first, then those that once did: anyone
 * can name a wallet in any number of others. Otherwise the newest come first.
 *
 * @param tags the recipient's, one per root
 * @param after where the previous page ended
 */
export async function findEntriesOfRecipient(
  db: Db,
  tags: readonly Hex[],
  after: EntryPlace | null = null,
): Promise<EntryPage> {
  const order = sql`rank desc, created_at desc, chain_id desc, safe_address desc`
  const beyond =
    after &&
    sql`where (rank, created_at, chain_id, safe_address) < (${after.rank}::bigint,
      ${after.createdAt}::bigint, ${after.chainId}::bigint, ${after.safeAddress}::text)`
  const { rows } = await sql<SeenEntry & { rank: number; place: number }>`
    with own as (
      select e.*, coalesce((
        select max(case when coalesce(b.balance, 1) > 0 then 2 else 1 end) from app.safe_balance b
        where b.chain_id = e.chain_id and b.safe_address = e.safe_address and b.is_listed
      ), 0) as rank
      from app.stealth_entry e where e.tag = any(${byteArray(tags)}))
    select ${COLUMNS}, rank, place from (
      select own.*, (row_number() over (order by ${order}))::integer as place from own
      ${beyond ?? sql``} order by ${order} limit ${MOST_ENTRIES + 1}) as page
    order by id`.execute(db)
  const found = rows.filter(({ place }) => place <= MOST_ENTRIES)
  const isMore = found.length < rows.length
  const last = isMore ? (found.find(({ place }) => place === MOST_ENTRIES) ?? null) : null
  return { entries: found.map(({ rank: _, place: __, ...entry }) => entry), last }
}

/**
 * The number of entries in the longest page of `findEntriesOfRecipient`.
 *
 * @param tags the recipient's, one per root
 */
export async function countEntries(db: Db, tags: readonly Hex[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (select from app.stealth_entry
      where tag = any(${byteArray(tags)}) limit ${MOST_ENTRIES}) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

const COLUMNS = sql`tag, chain_id as "chainId", intent_id as "intentId", delivery_index as "index",
  stealth_address as "stealthAddress", ephemeral_pub_key as "ephemeralPubKey",
  view_tag as "viewTag", safe_address as "safeAddress", salt_nonce as "saltNonce", ticket,
  asked_by as "askedBy", created_at as "createdAt", deployed_seen_at as "deployedSeenAt",
  deployed_for_good as "deployedForGood"`

async function selectEntries(db: Db, which: RawBuilder<unknown>): Promise<SeenEntry[]> {
  const { rows } =
    await sql<SeenEntry>`select ${COLUMNS} from app.stealth_entry where ${which}`.execute(db)
  return rows
}

/** A Safe issued for a delivery. */
type FoundSafe = { safeAddress: Hex; ticket: Hex }

/** Safes that share a prefix, on average at most. */
const SAFES_PER_PREFIX = 256

/** Approximate size of a Safe's row. */
const ROW_BYTES = 400

/**
 * Which of these addresses, in lower case, are Safes issued on a chain. A server may log its statements, which must not
 * contain recipients. So the query selects all Safes with the same prefix, which is as short as possible because it lets
 * anyone check guesses, and this function compares the rest.
 */
export async function findSafes(
  db: Db,
  chainId: number,
  addresses: readonly Hex[],
): Promise<FoundSafe[]> {
  const requested = new Set(addresses)
  const { rows: sizes } = await sql<{ bytes: number }>`
    select pg_relation_size('app.stealth_entry')::float8 as bytes`.execute(db)
  const safes = (sizes[0]?.bytes ?? 0) / ROW_BYTES
  const digits = Math.max(0, Math.ceil(Math.log(safes / SAFES_PER_PREFIX) / Math.log(16)))
  const prefixes = [...new Set(addresses.map((address) => address.slice(0, 2 + digits)))]
  // With the tickets: a second statement, for the requested ones alone, would show which they are.
  const { rows } = await sql<FoundSafe>`
    select s.safe_address as "safeAddress", s.ticket
    from unnest(${prefixes}::text[]) as prefix join app.stealth_entry s
      on s.chain_id = ${chainId}::bigint
      and s.safe_address >= prefix and s.safe_address < prefix || 'g'`.execute(db)
  return rows.filter(({ safeAddress }) => requested.has(safeAddress))
}
