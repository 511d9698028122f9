import type pg from 'pg'
import type { Hex } from 'viem'
import type { TransferSettings } from './transferFollowerContext.ts'

/** One of our Safes on one chain. */
export type ListedSafe = {
  safe: Hex
  /** Unix seconds: it can't have been paid much earlier. */
  createdAt: number
  /** Whether its history before the chain's position has been read. */
  isFollowed: boolean
  /** First unread block of a Safe behind the chain's position; null before its first read. */
  nextBlock: number | null
  /** Read once now, and then not for a while. */
  isQuiet: boolean
}

/** Where to look for Safes that were never read: comparing all Safes each time would take longer each year. */
export type UnreadSearch = {
  /** Rows up to this id have been compared. */
  after: number
  /** The newest id of an earlier round, and the first transaction id not given out by then; null before the first round. */
  seen: { id: number; before: bigint } | null
  /** When all were last compared, by `performance.now()`. */
  comparedAllAt: number
}

/** A search that begins with all Safes. */
export function createUnreadSearch(): UnreadSearch {
  return { after: 0, seen: null, comparedAllAt: Number.NEGATIVE_INFINITY }
}

/** Milliseconds after which all Safes are compared again: somebody may have deleted the follower's rows. */
const COMPARE_ALL_MS = 3_600_000

/** The newest id, the oldest transaction that is under way, and the first that hasn't begun. */
type Newest = { id: string; oldest: string; following: string }

type Row = {
  id: string
  safe_address: Hex
  created_at: string
  next_block: string | null
  is_quiet: boolean
  is_followed: boolean
}

/**
 * The Safes issued on a chain, except quiet ones that aren't due. When some were woken, others are added to fill a
 * request, so that it doesn't contain one recipient's Safes alone.
 *
 * @param search is advanced
 */
export async function listSafes(
  db: pg.ClientBase,
  chainId: number,
  { quietEvery, safesAtOnce }: Pick<TransferSettings, 'quietEvery' | 'safesAtOnce'>,
  search: UnreadSearch,
): Promise<ListedSafe[]> {
  const now = performance.now()
  const isOfAll = now - search.comparedAllAt > COMPARE_ALL_MS
  const after = isOfAll ? 0 : search.after
  const { rows: newest } = await db.query<Newest>(
    `select (select coalesce(max(id), 0) from app.stealth_entry) as id,
       pg_snapshot_xmin(now)::text as oldest, pg_snapshot_xmax(now)::text as following
     from pg_current_snapshot() as now`,
  )
  // Adds those due soon: reading many costs no more than reading few.
  const { rows } = await db.query<Row>(
    `with listed as (
       select e.id, e.safe_address, e.created_at, null::bigint as next_block, false as is_quiet,
         false as is_followed, false as is_woken
       from app.stealth_entry e
       where e.chain_id = $1 and e.id > $4 and not exists (
         select from app.followed_safe f
         where f.chain_id = e.chain_id and f.safe_address = e.safe_address)
       union all
       select e.id, e.safe_address, e.created_at, f.next_block, false, f.next_block is null,
         f.wanted_at is not null and f.next_block is not null
       from app.followed_safe f join app.stealth_entry e using (chain_id, safe_address)
       where f.chain_id = $1 and not f.is_quiet
       union all
       select e.id, e.safe_address, e.created_at, f.next_block, true, false, false
       from app.followed_safe f join app.stealth_entry e using (chain_id, safe_address)
       where f.chain_id = $1 and f.is_quiet and f.read_at < now() - make_interval(secs => $2::float8 / 2)
         and (select exists (
           select from app.followed_safe d where d.chain_id = $1 and d.is_quiet
             and d.read_at < now() - make_interval(secs => $2::float8)))
     ), woken as (
       select count(*) filter (where is_woken) as woken, count(*) filter (where is_quiet) as due
       from listed
     ), others as (
       select e.id, f.safe_address, e.created_at, f.next_block, true, false
       from woken, lateral (
         select safe_address, next_block from app.followed_safe
         where chain_id = $1 and is_quiet and woken > 0 and due = 0
         order by read_at limit greatest($3 - woken % $3, 0)
       ) f, lateral (
         -- The limit forbids a plan that reads all.
         select id, created_at from app.stealth_entry
         where chain_id = $1 and safe_address = f.safe_address limit 1
       ) e
     )
     select id, safe_address, created_at, next_block, is_quiet, is_followed from listed
     union all select * from others order by id`,
    [chainId, quietEvery, safesAtOnce, after],
  )
  if (isOfAll) search.comparedAllAt = now
  const unread = rows.find((row) => row.next_block === null && !row.is_followed)
  advance(search, newest[0]!, unread === undefined ? null : Number(unread.id))
  return rows.map((row) => ({
    safe: row.safe_address,
    createdAt: Number(row.created_at),
    isFollowed: row.is_followed,
    nextBlock: row.next_block === null ? null : Number(row.next_block),
    isQuiet: row.is_quiet,
  }))
}

/**
 * Rows aren't committed in the order of their ids. Those up to an id have all been compared only once every transaction has
 * ended that was under way when that id was the newest.
 *
 * @param unread the first Safe that wasn't read: the next round must find it again
 */
function advance(search: UnreadSearch, { id, oldest, following }: Newest, unread: number | null) {
  const { seen } = search
  if (seen !== null && BigInt(oldest) >= seen.before) {
    search.after = seen.id
    search.seen = null
  }
  search.seen ??= { id: Number(id), before: BigInt(following) }
  if (unread !== null) search.after = Math.min(search.after, unread - 1)
}
