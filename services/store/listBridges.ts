import { sql } from 'kysely'
import type { BridgeDestinationRow, BridgeRow, BridgeTokenRow } from '../../src/projection/rows.ts'
import { jsonRow, reviveRow, selectList } from './columns.ts'
import type { Db } from './database.ts'

/** A bridge with its allow-lists, by token and by destination. */
export type BridgeDetail = BridgeRow & {
  tokens: BridgeTokenRow[]
  destinations: BridgeDestinationRow[]
}

/** The bridges by chain id; that of one chain if given. One statement. */
export async function listBridges(db: Db, chainId?: number): Promise<BridgeDetail[]> {
  const where = chainId === undefined ? sql`true` : sql`bridge.chain_id = ${chainId}::bigint`
  const { rows } = await sql<BridgeRow & { tokens: unknown[]; destinations: unknown[] }>`
    select ${sql.raw(selectList('bridge', 'bridge'))},
      ${sql.raw(TOKENS)} as tokens, ${sql.raw(DESTINATIONS)} as destinations
    from cairn.bridge as bridge where ${where} order by bridge.chain_id`.execute(db)
  return rows.map(({ tokens, destinations, ...bridge }) => ({
    ...bridge,
    tokens: tokens.map((row) => reviveRow('bridgeToken', row)),
    destinations: destinations.map((row) => reviveRow('bridgeDestination', row)),
  }))
}

const TOKENS = `coalesce((select json_agg(${jsonRow('bridgeToken', 't')} order by t.token)
  from cairn.bridge_token t where t.chain_id = bridge.chain_id), '[]')`
const DESTINATIONS = `coalesce((select json_agg(${jsonRow('bridgeDestination', 'd')} order by d.dest_chain_id)
  from cairn.bridge_destination d where d.chain_id = bridge.chain_id), '[]')`
