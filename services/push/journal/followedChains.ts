import { sql } from 'kysely'
import type { ChainState } from '../../store/chains/readChainStates.ts'
import { readChainStates } from '../../store/chains/readChainStates.ts'
import type { Db } from '../../store/database/openDatabase.ts'

/** A chain whose rows can be recorded, and its last recorded state. */
export type FollowedChain = ChainState & {
  schema: string
  /** From which sequence its changes are in the change log. */
  baseSequence: number | null
  seen: { schema: string; baseSequence: number | null; timestamp: number } | null
}

type FollowedChains = {
  live: FollowedChain[]
  /** Chains that temporarily lack rows: their events are neither recorded nor revoked. */
  waiting: number[]
}

type Row = {
  chainId: number
  schema: string
  baseSequence: number | null
  seenSchema: string | null
  seenBase: number | null
  seenBlock: number | null
  seenTime: number | null
}

/**
 * Which chains are at their heads. A restarted one first removes rows that weren't final, and a reindexed one may be
 * behind what was recorded: the journal waits for both. A chain that was reset has lower blocks, but later ones.
 */
export async function readFollowedChains(db: Db): Promise<FollowedChains> {
  const { ready, backfilling } = await readChainStates(db)
  const { rows } = await sql<Row>`
    select p.chain_id as "chainId", p.schema_name as schema, p.base_sequence as "baseSequence",
      seen.schema_name as "seenSchema", seen.base_sequence as "seenBase",
      seen.block_number as "seenBlock", seen.timestamp as "seenTime"
    from app.projection p left join app.push_chain seen using (chain_id) where p.active`.execute(db)
  const known = new Map(rows.map((row) => [row.chainId, row]))
  const live = ready.flatMap((chain) => {
    const row = known.get(chain.chainId)
    return row && isCaughtUp(chain, row) ? [toFollowed(chain, row)] : []
  })
  const followed = new Set(live.map(({ chainId }) => chainId))
  const waiting = [...ready, ...backfilling].map(({ chainId }) => chainId)
  return { live, waiting: waiting.filter((chainId) => !followed.has(chainId)) }
}

function isCaughtUp({ state, head, bridge }: ChainState, row: Row): boolean {
  if (state !== 'live' || bridge === null) return false
  const { schema, seenSchema, seenBlock, seenTime } = row
  if (seenSchema === null || seenSchema === schema) return true
  return head.blockNumber >= (seenBlock ?? 0) || head.timestamp > (seenTime ?? 0)
}

function toFollowed(chain: ChainState, row: Row): FollowedChain {
  const { schema, baseSequence, seenSchema, seenBase, seenTime } = row
  const seen =
    seenSchema === null || seenTime === null
      ? null
      : { schema: seenSchema, baseSequence: seenBase, timestamp: seenTime }
  return { ...chain, schema, baseSequence, seen }
}

/** Saves up to where the chain has been examined. */
export async function rememberChain(db: Db, chain: FollowedChain): Promise<void> {
  const { chainId, schema, baseSequence, head } = chain
  await sql`insert into app.push_chain (chain_id, schema_name, base_sequence, block_number, timestamp)
    values (${chainId}, ${schema}, ${baseSequence}, ${head.blockNumber}, ${head.timestamp})
    on conflict (chain_id) do update set schema_name = excluded.schema_name,
      base_sequence = excluded.base_sequence, block_number = excluded.block_number,
      timestamp = excluded.timestamp`.execute(db)
}
