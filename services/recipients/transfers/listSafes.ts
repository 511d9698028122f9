import type pg from 'pg'
import type { Hex } from 'viem'

/** A Safe of ours on one chain. */
export type ListedSafe = {
  safe: Hex
  /** Unix seconds: it can't have been paid much before. */
  createdAt: number
  /** Whether what came before the chain's position has been read. */
  isFollowed: boolean
}

/** Every Safe that was made out on a chain. */
export async function listSafes(db: pg.ClientBase, chainId: number): Promise<ListedSafe[]> {
  const { rows } = await db.query(
    `select e.safe_address, e.created_at, f.safe_address is not null as is_followed
     from app.stealth_entry e left join app.followed_safe f using (chain_id, safe_address)
     where e.chain_id = $1 order by e.id`,
    [chainId],
  )
  return rows.map((row) => ({
    safe: row.safe_address,
    createdAt: Number(row.created_at),
    isFollowed: row.is_followed,
  }))
}

/** Notes that these are read up to the chain's position. */
export async function markFollowed(
  db: pg.ClientBase,
  chainId: number,
  safes: readonly Hex[],
): Promise<void> {
  await db.query(
    `insert into app.followed_safe (chain_id, safe_address)
     select $1, safe from unnest($2::text[]) as s (safe) on conflict do nothing`,
    [chainId, safes],
  )
}
