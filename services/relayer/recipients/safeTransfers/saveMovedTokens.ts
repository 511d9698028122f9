import type pg from 'pg'
import type { SafeToken } from './readSafeTransferLogs.ts'
import type { FollowedChain } from './transferFollowerContext.ts'

/** Unlisted tokens followed per Safe: anyone can invent more. */
const UNLISTED_AT_MOST = 20

/** Records which tokens have moved; their balances are then read. */
export async function saveMovedTokens(
  db: pg.ClientBase,
  chainId: number,
  found: readonly SafeToken[],
  listed: ReadonlySet<string>,
): Promise<void> {
  const kept = withinLimit(found, listed)
  if (kept.length === 0) return
  await db.query(
    `insert into app.safe_balance as b
       (chain_id, safe_address, token, is_listed, first_block, last_block)
     select $1, f.safe, f.token, f.is_listed, f.first_block, f.last_block
     from unnest($2::text[], $3::text[], $4::boolean[], $5::bigint[], $6::bigint[])
       as f (safe, token, is_listed, first_block, last_block)
     where f.is_listed or $7 > (
       select count(*) from app.safe_balance o where o.chain_id = $1 and o.safe_address = f.safe
         and not o.is_listed and o.token <> f.token)
     on conflict (chain_id, safe_address, token) do update set
       is_listed = excluded.is_listed, is_stale = true,
       first_block = least(b.first_block, excluded.first_block),
       last_block = greatest(b.last_block, excluded.last_block)`,
    [
      chainId,
      kept.map(({ safe }) => safe),
      kept.map(({ token }) => token),
      kept.map(({ token }) => listed.has(token)),
      kept.map(({ firstBlock }) => firstBlock),
      kept.map(({ lastBlock }) => lastBlock),
      UNLISTED_AT_MOST,
    ],
  )
}

/** All listed tokens and, for each Safe, the first few others; each pair once. */
function withinLimit(found: readonly SafeToken[], listed: ReadonlySet<string>): SafeToken[] {
  const merged = new Map<string, SafeToken>()
  const unlisted = new Map<string, number>()
  for (const one of found) {
    const key = `${one.safe}${one.token}`
    const known = merged.get(key)
    if (known === undefined && !listed.has(one.token)) {
      const count = (unlisted.get(one.safe) ?? 0) + 1
      if (count > UNLISTED_AT_MOST) continue
      unlisted.set(one.safe, count)
    }
    merged.set(key, {
      ...one,
      firstBlock: Math.min(one.firstBlock, known?.firstBlock ?? one.firstBlock),
      lastBlock: Math.max(one.lastBlock, known?.lastBlock ?? one.lastBlock),
    })
  }
  return [...merged.values()]
}

/** A chain's tokens that its configuration or its bridge lists, and that are therefore trusted. Lower case. */
export async function findListedTokens(
  db: pg.ClientBase,
  { chainId, tokens = {} }: FollowedChain,
): Promise<ReadonlySet<string>> {
  const configured = Object.values(tokens).map(({ address }) => address.toLowerCase())
  return new Set([...configured, ...(await bridgeTokens(db, chainId))])
}

/** A token that the bridge no longer lists may still be in a Safe. */
async function bridgeTokens(db: pg.ClientBase, chainId: number): Promise<string[]> {
  // The view doesn't exist before the index's first start.
  const { rows: views } = await db.query(`select to_regclass('cairn.bridge_token') as view`)
  if (views[0].view === null) return []
  const { rows } = await db.query('select token from cairn.bridge_token where chain_id = $1', [
    chainId,
  ])
  return rows.map(({ token }) => token)
}
