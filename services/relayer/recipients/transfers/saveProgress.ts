import type pg from 'pg'
import type { Hex } from 'viem'
import type { Block } from './transferContext.ts'

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
 * Records how far Safes were read that are not read with their chain. Call it in the transaction that
 * writes what was found.
 *
 * @param isAll whether that is everything: quiet ones may then wait again
 */
export async function saveProgress(
  db: pg.ClientBase,
  chainId: number,
  safes: readonly Hex[],
  { number, time }: Block,
  isAll: boolean,
): Promise<void> {
  await db.query(
    `insert into app.followed_safe as f (chain_id, safe_address, next_block, read_to)
     select $1, safe, $3, $4 from unnest($2::text[]) as s (safe) order by safe
     on conflict (chain_id, safe_address) do update set
       next_block = greatest(f.next_block, excluded.next_block),
       read_to = greatest(f.read_to, excluded.read_to),
       read_at = case when $5 then now() else f.read_at end`,
    [chainId, safes, number + 1, time, isAll],
  )
}

/** Records activity of Safes: they are no longer quiet. */
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
