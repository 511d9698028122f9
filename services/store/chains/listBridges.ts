import { sql } from 'kysely'
import type {
  BridgeAnnouncementRow,
  BridgeDestinationRow,
  BridgePeripheryRow,
  BridgeRow,
  BridgeTokenRow,
} from '../../../src/projection/rowTypes.ts'
import { jsonRow, reviveRow, selectList } from '../database/columnSql.ts'
import type { Db } from '../database/openDatabase.ts'

/** A bridge with its allow-lists and their latest 100 announced changes, newest first. */
export type BridgeDetail = BridgeRow & {
  tokens: BridgeTokenRow[]
  destinations: BridgeDestinationRow[]
  periphery: BridgePeripheryRow[]
  announcements: BridgeAnnouncementRow[]
}

type Lists = { [List in Exclude<keyof BridgeDetail, keyof BridgeRow>]: unknown[] }

/** Lists the bridges by chain id, or the one of a chain. One statement. */
export async function listBridges(db: Db, chainId?: number): Promise<BridgeDetail[]> {
  const where = chainId === undefined ? sql`true` : sql`bridge.chain_id = ${chainId}::bigint`
  const { rows } = await sql<BridgeRow & Lists>`
    select ${sql.raw(selectList('bridge', 'bridge'))},
      ${sql.raw(TOKENS)} as tokens, ${sql.raw(DESTINATIONS)} as destinations,
      ${sql.raw(PERIPHERY)} as periphery, ${sql.raw(ANNOUNCEMENTS)} as announcements
    from cairn.bridge as bridge where ${where} order by bridge.chain_id`.execute(db)
  return rows.map(({ tokens, destinations, periphery, announcements, ...bridge }) => ({
    ...bridge,
    tokens: tokens.map((row) => reviveRow('bridgeToken', row)),
    destinations: destinations.map((row) => reviveRow('bridgeDestination', row)),
    periphery: periphery.map((row) => reviveRow('bridgePeriphery', row)),
    announcements: announcements.map((row) => reviveRow('bridgeAnnouncement', row)),
  }))
}

const TOKENS = `coalesce((select json_agg(${jsonRow('bridgeToken', 't')} order by t.token)
  from cairn.bridge_token t where t.chain_id = bridge.chain_id), '[]')`
const DESTINATIONS = `coalesce((select json_agg(${jsonRow('bridgeDestination', 'd')} order by d.dest_chain_id)
  from cairn.bridge_destination d where d.chain_id = bridge.chain_id), '[]')`
const PERIPHERY = `coalesce((select json_agg(${jsonRow('bridgePeriphery', 'p')} order by p.periphery)
  from cairn.bridge_periphery p where p.chain_id = bridge.chain_id), '[]')`
const ANNOUNCEMENTS = `coalesce((
  select json_agg(${jsonRow('bridgeAnnouncement', 'a')} order by a.announced_at desc, a.change_id) from (
    select * from cairn.bridge_announcement announced where announced.chain_id = bridge.chain_id
    order by announced.announced_at desc, announced.change_id limit 100) a), '[]')`
