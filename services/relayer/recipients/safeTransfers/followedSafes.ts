import type pg from 'pg'
import type { Hex } from 'viem'
import type { Block, TransferSettings } from './transferFollowerContext.ts'

/*
 * Rows of `app.followed_safe` are locked in the order of their addresses, here and wherever several are
 * written, so that two writers can't deadlock.
 */

/** Records that these are read up to the chain's position, and from now on with it. */
export async function markFollowed(
  db: pg.ClientBase,
  chainId: number,
  safes: readonly Hex[],
): Promise<void> {
  await db.query(
    `insert into app.followed_safe (chain_id, safe_address)
     select $1, safe from unnest($2::text[]) as s (safe) order by safe
     on conflict (chain_id, safe_address) do update
       set next_block = null, read_to = null, is_quiet = false, read_at = now()`,
    [chainId, safes],
  )
}

/**
 * Records the positions of Safes that aren't read with their chain. Call it in the transaction that writes what was
 * found.
 *
 * @param isAll whether everything was read: quiet ones may then wait again
 */
export async function saveProgress(
  db: pg.ClientBase,
  chainId: number,
  safes: readonly Hex[],
  { number, timestamp }: Block,
  isAll: boolean,
): Promise<void> {
  await db.query(
    `insert into app.followed_safe as f (chain_id, safe_address, next_block, read_to)
     select $1, safe, $3, $4 from unnest($2::text[]) as s (safe) order by safe
     on conflict (chain_id, safe_address) do update set
       next_block = greatest(f.next_block, excluded.next_block),
       read_to = greatest(f.read_to, excluded.read_to),
       read_at = case when $5 then now() else f.read_at end`,
    [chainId, safes, number + 1, timestamp, isAll],
  )
}

/** Records that Safes were active and aren't quiet any more. */
export async function wake(
  db: pg.ClientBase,
  chainId: number,
  safes: readonly Hex[],
): Promise<void> {
  if (safes.length === 0) return
  await db.query(
    `with woken as materialized (
       select safe_address from app.followed_safe
       where chain_id = $1 and safe_address = any($2) and is_quiet order by safe_address for update
     )
     update app.followed_safe f set is_quiet = false from woken
     where f.chain_id = $1 and f.safe_address = woken.safe_address`,
    [chainId, safes],
  )
}

/** Minutes for which a Safe is read with its chain after its recipient's request. */
const ASKED_FOR = 10

/**
 * Marks Safes as quiet that hold no known token and had no transfer for long: they are read occasionally, or when their
 * recipient asks, instead of with their chain.
 */
export async function markQuiet(
  db: pg.ClientBase,
  chainId: number,
  { quietAfter }: Pick<TransferSettings, 'quietAfter'>,
): Promise<void> {
  await rest(
    db,
    chainId,
    `select f.safe_address from app.followed_safe f
     join app.stealth_entry e on e.chain_id = f.chain_id and e.safe_address = f.safe_address
     where f.chain_id = $1 and f.next_block is null and not f.is_quiet
       and e.created_at < extract(epoch from now()) - $2::bigint
       and coalesce(f.wanted_at, '-infinity') < now() - make_interval(mins => $3)
       and not exists (
         select from app.safe_balance b where b.chain_id = $1 and b.safe_address = f.safe_address
           and (b.is_stale or b.balance is distinct from 0
             or b.asked_time > extract(epoch from now()) - $2::bigint))`,
    [quietAfter, ASKED_FOR],
  )
}

/**
 * Marks never-paid Safes as quiet earlier when there are too many to read with a chain. Every intent's first Safe comes
 * before any intent's second one, and so on, so that an intent with hundreds displaces none with a few; among equals
 * the newest stay.
 */
export async function markUnpaidQuiet(
  db: pg.ClientBase,
  chainId: number,
  { mostUnpaid }: Pick<TransferSettings, 'mostUnpaid'>,
): Promise<void> {
  await rest(
    db,
    chainId,
    `select safe_address from (
       select f.safe_address, e.id,
         row_number() over (partition by e.intent_id order by e.id) as turn
       from app.followed_safe f
       join app.stealth_entry e on e.chain_id = f.chain_id and e.safe_address = f.safe_address
       where f.chain_id = $1 and f.next_block is null and not f.is_quiet and not exists (
         select from app.safe_balance b where b.chain_id = $1 and b.safe_address = f.safe_address)
     ) as unpaid order by turn, id desc offset $2::integer`,
    [mostUnpaid],
  )
}

/** @param chosen a query for their addresses; `$1` is the chain, followed by `given` */
async function rest(
  db: pg.ClientBase,
  chainId: number,
  chosen: string,
  given: readonly unknown[],
): Promise<void> {
  await db.query(
    `with chosen as materialized (
       select safe_address from app.followed_safe
       where chain_id = $1 and safe_address in (${chosen}) order by safe_address for update
     )
     update app.followed_safe f
     set is_quiet = true, next_block = p.next_block, read_at = now(), read_to = (
       select max(block_time) from app.transfer_checkpoint where chain_id = $1)
     from chosen, app.transfer_position p
     where f.chain_id = $1 and p.chain_id = $1 and f.safe_address = chosen.safe_address`,
    [chainId, ...given],
  )
}

/** Counts a chain's quiet Safes, reading one index entry for each. */
export async function countQuiet(db: pg.ClientBase, chainId: number): Promise<number> {
  const { rows } = await db.query(
    'select count(*)::integer as quiet from app.followed_safe where chain_id = $1 and is_quiet',
    [chainId],
  )
  return rows[0].quiet
}
