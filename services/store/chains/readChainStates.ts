import { sql } from 'kysely'
import type { ChainClock } from '../../../core/intent/chainClocks.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { BridgeTerms } from '../../../src/intent/bridgeTerms.ts'
import type { Db } from '../database/openDatabase.ts'

/** A chain's indexed head, with its safe and finalized blocks. */
export type ChainHead = ChainClock & {
  safeBlock: number
  finalizedBlock: number
  /** Seconds; known with the bridge's terms. Bounds the search for running auctions. */
  pickupWindow?: number
  /** Seconds; known with the bridge's terms. Without it no refund of a winner's intent is due. */
  settlementGrace?: number
}

/** Heads by chain id; used as `Clocks` by `deriveStatus`, and by `deriveFinality`. */
export type ChainHeads = ReadonlyMap<number, ChainHead>

/** A chain as the views show it. */
export type ChainState = {
  chainId: number
  name: string
  /** `live`: follows its chain. `resuming`: complete up to its head, which hasn't caught up since a restart. */
  state: 'live' | 'resuming'
  /** Why the index doesn't follow the chain, for an operator; null if it does. */
  problem: string | null
  head: ChainHead
  /** Null until the bridge's deployment is indexed. */
  bridge: { address: Hex; terms: BridgeTerms } | null
}

/** A chain in its first backfill, which the views don't show yet. */
type ChainInBackfill = Pick<ChainState, 'chainId' | 'name' | 'problem'> & { progress: number }

export type ChainStates = { ready: ChainState[]; backfilling: ChainInBackfill[] }

type Row = {
  chainId: number
  name: string
  state: 'live' | 'resuming' | 'backfilling'
  active: boolean
  progress: number
  problem: string | null
  timestamp: number | null
  blockNumber: number | null
  safeBlock: number | null
  finalizedBlock: number | null
  address: Hex | null
  firmSeconds: number | null
  pickupWindow: number | null
  executionWindow: number | null
  settlementGrace: number | null
}

/** Reads the chains that are shown or being indexed, by chain id, without removed ones. */
export async function readChainStates(db: Db): Promise<ChainStates> {
  const { rows } = await sql<Row>`
    select distinct on (p.chain_id) p.chain_id as "chainId", p.chain_name as name, p.state, p.active,
      p.progress, p.problem, clock.timestamp, clock.block_number as "blockNumber",
      clock.safe_block as "safeBlock", clock.finalized_block as "finalizedBlock", bridge.address,
      bridge.firm_seconds as "firmSeconds", bridge.pickup_window as "pickupWindow", bridge.execution_window as "executionWindow",
      bridge.settlement_grace as "settlementGrace"
    from app.projection p
    left join cairn.chain_clock clock on p.active and clock.chain_id = p.chain_id
    left join cairn.bridge bridge on p.active and bridge.chain_id = p.chain_id
    where p.active or p.ready_at is null
    order by p.chain_id, p.active desc, p.created_at desc`.execute(db)
  return {
    ready: rows.flatMap((row) => toReady(row) ?? []),
    backfilling: rows
      .filter((row) => toReady(row) === null)
      .map(({ chainId, name, progress, problem }) => ({ chainId, name, progress, problem })),
  }
}

function toReady(row: Row): ChainState | null {
  const { chainId, name, state, active, problem, timestamp, blockNumber } = row
  if (!active || state === 'backfilling' || timestamp === null || blockNumber === null) return null
  const { safeBlock, finalizedBlock, pickupWindow, settlementGrace } = row
  const head = {
    timestamp,
    blockNumber,
    safeBlock: safeBlock ?? 0,
    finalizedBlock: finalizedBlock ?? 0,
    ...(pickupWindow !== null && { pickupWindow }),
    ...(settlementGrace !== null && { settlementGrace }),
  }
  return { chainId, name, state, problem, head, bridge: bridgeOf(row) }
}

function bridgeOf(row: Row): ChainState['bridge'] {
  const { address, firmSeconds, pickupWindow, executionWindow, settlementGrace } = row
  if (address === null || firmSeconds === null || pickupWindow === null) return null
  if (executionWindow === null || settlementGrace === null) return null
  return { address, terms: { firmSeconds, pickupWindow, executionWindow, settlementGrace } }
}

/** Reads the schema behind the views for each chain that they show. */
export async function shownSchemas(db: Db): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ chainId: number; schema: string }>`
    select chain_id as "chainId", schema_name as schema from app.projection where active`.execute(
    db,
  )
  return new Map(rows.map(({ chainId, schema }) => [chainId, schema]))
}
