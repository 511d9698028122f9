import { sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Db } from '../../../store/database/openDatabase.ts'

type SafeBalance = {
  /** Lower case. */
  token: Hex
  /** Base units. */
  balance: bigint
  /** Whether the chain's configuration or the bridge lists the token; anyone can invent others. */
  isListed: boolean
}

/** A Safe's contents, as far as its transfers were followed. */
export type SafeContents = {
  /** Listed tokens that have ever moved, and other tokens with a balance. */
  balances: SafeBalance[]
  /** Unix time of the oldest block among the balances; null if none is known. */
  balancesAt: number | null
  /** Listed tokens arrived, and all have left. */
  swept: boolean
}

/** A Safe with no known payment. */
export const NOTHING_YET: SafeContents = { balances: [], balancesAt: null, swept: false }

type Row = Omit<SafeBalance, 'balance'> & {
  chainId: number
  safeAddress: Hex
  /** Null until it was read. */
  balance: bigint | null
  askedTime: number | null
  isStale: boolean
}

/**
 * Loads the contents of many Safes, in one query.
 *
 * @returns by `contentsKey`, without Safes that have no payment
 */
export async function loadBalances(
  db: Db,
  safes: readonly { chainId: number; safeAddress: Hex }[],
): Promise<Map<string, SafeContents>> {
  if (safes.length === 0) return new Map()
  const chains = safes.map(({ chainId }) => chainId)
  const addresses = safes.map(({ safeAddress }) => safeAddress.toLowerCase())
  const { rows } = await sql<Row>`
    select b.chain_id as "chainId", b.safe_address as "safeAddress", b.token,
      b.is_listed as "isListed", b.balance, b.asked_time as "askedTime", b.is_stale as "isStale"
    from app.safe_balance b
    join unnest(${chains}::bigint[], ${addresses}::text[]) as s (chain_id, safe_address)
      using (chain_id, safe_address)
    order by b.is_listed desc, b.first_block, b.token`.execute(db)
  const bySafe = Map.groupBy(rows, contentsKey)
  return new Map([...bySafe].map(([key, some]) => [key, contentsOf(some)]))
}

export function contentsKey({ chainId, safeAddress }: { chainId: number; safeAddress: Hex }) {
  return `${chainId}:${safeAddress.toLowerCase()}`
}

function contentsOf(rows: readonly Row[]): SafeContents {
  const listed = rows.filter(({ isListed }) => isListed)
  const times = rows.flatMap(({ balance, askedTime }) =>
    balance === null || askedTime === null ? [] : [askedTime],
  )
  return {
    balances: rows.flatMap(({ token, balance, isListed }) =>
      balance === null ? [] : [{ token, balance, isListed }],
    ),
    balancesAt: times.length === 0 ? null : Math.min(...times),
    swept: listed.length > 0 && listed.every((one) => one.balance === 0n && !one.isStale),
  }
}

/**
 * Times up to which the transfers of Safes were read, in unix seconds.
 *
 * @returns by `contentsKey`, without unread Safes
 */
export async function transfersReadUpTo(
  db: Db,
  safes: readonly { chainId: number; safeAddress: Hex }[],
): Promise<Map<string, number>> {
  const chains = safes.map(({ chainId }) => chainId)
  const addresses = safes.map(({ safeAddress }) => safeAddress)
  const { rows } = await sql<{ chainId: number; safeAddress: Hex; time: number | null }>`
    with position as (
      select chain_id, max(block_time) as time from app.transfer_checkpoint group by chain_id
    )
    select f.chain_id as "chainId", f.safe_address as "safeAddress",
      case when f.next_block is null then p.time else f.read_to end as time
    from unnest(${chains}::bigint[], ${addresses}::text[]) as s (chain_id, safe)
    join app.followed_safe f on f.chain_id = s.chain_id and f.safe_address = s.safe
    left join position p on p.chain_id = f.chain_id`.execute(db)
  return new Map(rows.flatMap((row) => (row.time === null ? [] : [[contentsKey(row), row.time]])))
}
