import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Db } from '../../../store/database/openDatabase.ts'

type Safe = { chainId: number; safeAddress: Hex }

/** Channel on which the follower learns that a caller waits for Safes to be read. */
export const WAKE_CHANNEL = 'cairn_transfers'

/** Milliseconds between polls of the Safes' positions, and for which an answer waits for them. */
const POLL_MS = 200
const TIMEOUT_MS = 5_000

/**
 * Has quiet Safes read now, because their recipient asks for them, and waits for a while. A repeated request meanwhile
 * doesn't wait again.
 */
export async function requestBalanceRefresh(
  db: Db,
  safes: readonly Safe[],
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  // In the order in which everyone locks these rows: several recipients may ask while the Safes are
  // read.
  const { rows: woken } = await sql<Safe>`
    with quiet as materialized (
      select f.chain_id, f.safe_address from app.followed_safe f
      join ${table(safes)} on f.chain_id = s.chain_id and f.safe_address = s.safe
      where f.is_quiet order by f.chain_id, f.safe_address for update of f
    )
    update app.followed_safe f set is_quiet = false, wanted_at = now() from quiet
    where f.chain_id = quiet.chain_id and f.safe_address = quiet.safe_address
    returning f.chain_id as "chainId", f.safe_address as "safeAddress"`.execute(db)
  if (woken.length > 0) await sql`select pg_notify(${WAKE_CHANNEL}, '')`.execute(db)
  const until = performance.now() + timeoutMs
  while (woken.length > 0 && performance.now() < until) {
    await pause(POLL_MS)
    const { rows } = await sql`select from ${table(woken)}
      where exists (select from app.followed_safe f
          where f.chain_id = s.chain_id and f.safe_address = s.safe and f.next_block is not null)
        or exists (select from app.safe_balance b where b.chain_id = s.chain_id
          and b.safe_address = s.safe and b.is_listed and b.is_stale)
      limit 1`.execute(db)
    if (rows.length === 0) return
  }
}

function table(safes: readonly Safe[]) {
  const chains = safes.map(({ chainId }) => chainId)
  const addresses = safes.map(({ safeAddress }) => safeAddress)
  return sql`unnest(${chains}::bigint[], ${addresses}::text[]) as s (chain_id, safe)`
}
