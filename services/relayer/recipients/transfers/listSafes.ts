import type pg from 'pg'
import type { Hex } from 'viem'
import type { TransferSettings } from './transferContext.ts'

/** One of our Safes on one chain, to be read. */
export type ListedSafe = {
  safe: Hex
  /** Unix seconds: it can't have been paid much before. */
  createdAt: number
  /** Whether what came before the chain's position has been read. */
  isFollowed: boolean
  /** The first block that hasn't been read, of one that is behind the chain's position; null: none has. */
  nextBlock: number | null
  /** Read once now, and then not again for a while. */
  isQuiet: boolean
}

/**
 * The Safes issued on a chain, except quiet ones that aren't due. When some were woken, enough others are
 * added to fill a question, so that it doesn't name one recipient's Safes alone.
 */
export async function listSafes(
  db: pg.ClientBase,
  chainId: number,
  { quietEvery, safesAtOnce }: Pick<TransferSettings, 'quietEvery' | 'safesAtOnce'>,
): Promise<ListedSafe[]> {
  // Those that are due soon are added: reading many costs no more than reading few.
  const { rows } = await db.query(
    `with listed as (
       select e.id, e.safe_address, e.created_at, f.next_block, coalesce(f.is_quiet, false) as is_quiet,
         f.safe_address is not null and f.next_block is null as is_followed, f.wanted_at is not null
           and f.next_block is not null and not f.is_quiet as is_woken
       from app.stealth_entry e left join app.followed_safe f using (chain_id, safe_address)
       where e.chain_id = $1 and (not coalesce(f.is_quiet, false) or (
         f.read_at < now() - make_interval(secs => $2::float8 / 2) and exists (
           select from app.followed_safe d where d.chain_id = $1 and d.is_quiet
             and d.read_at < now() - make_interval(secs => $2::float8))))
     ), woken as (
       select count(*) filter (where is_woken) as woken, count(*) filter (where is_quiet) as due
       from listed
     ), others as (
       select e.id, e.safe_address, e.created_at, f.next_block, true, false
       from woken, lateral (
         select safe_address, next_block from app.followed_safe
         where chain_id = $1 and is_quiet and woken > 0 and due = 0
         order by read_at limit greatest($3 - woken % $3, 0)
       ) f join app.stealth_entry e on e.chain_id = $1 and e.safe_address = f.safe_address
     )
     select id, safe_address, created_at, next_block, is_quiet, is_followed from listed
     union all select * from others order by id`,
    [chainId, quietEvery, safesAtOnce],
  )
  return rows.map((row) => ({
    safe: row.safe_address,
    createdAt: Number(row.created_at),
    isFollowed: row.is_followed,
    nextBlock: row.next_block === null ? null : Number(row.next_block),
    isQuiet: row.is_quiet,
  }))
}
