import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { conditionSql, type Filters } from '../database/filterSql.ts'
import { inOrder, type KeysetPage, keysetSql } from '../database/keyset.ts'
import {
  PAIR_COLUMNS,
  type Pair,
  type PairFilter,
  pairConditions,
  pairKeyset,
} from './pairFilter.ts'

/** A pair that intents have taken, and whether one can be created on it now. */
export type Route = Pair & {
  isOpen: boolean
  /** Limits of what goes into escrow (amountA + reward) in base units; null when the bridge never listed the token. */
  minEscrow: bigint | null
  maxEscrow: bigint | null
}

/** Which routes; absent fields don't restrict. */
export type RouteFilter = PairFilter & { isOpen?: boolean | undefined }

/** A page of routes, by pair. */
export async function listRoutes(
  db: Db,
  filter: Filters<RouteFilter>,
  page: KeysetPage,
): Promise<readonly Route[]> {
  const { rows } = await listRoutesQuery(filter, page).execute(db)
  return inOrder(rows, page)
}

/** The statement of `listRoutes`. */
function listRoutesQuery(filter: Filters<RouteFilter>, page: KeysetPage): RawBuilder<Route> {
  return sql<Route>`select * from (${ROUTES}) as route
    ${keysetSql(pairKeyset('route'), [passes(filter)], page)}`
}

/** How many routes pass a filter. */
export async function countRoutes(db: Db, filter: Filters<RouteFilter>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (${ROUTES}) as route where ${passes(filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** The token of the other side can be any address of another chain: only use shows which are meant. */
const ROUTES =
  sql.raw(`select pair.*, token.min_amount as "minEscrow", token.max_amount as "maxEscrow",
      coalesce(token.listed and destination.listed and not bridge.creation_paused, false) as "isOpen"
    from (select ${PAIR_COLUMNS} from cairn.pair_day as pair_day group by 1, 2, 3, 4) as pair
    left join cairn.bridge_token token
      on token.chain_id = pair."sourceChainId" and token.token = pair."tokenA"
    left join cairn.bridge_destination destination
      on destination.chain_id = pair."sourceChainId" and destination.dest_chain_id = pair."destChainId"
    left join cairn.bridge bridge on bridge.chain_id = pair."sourceChainId"`)

function passes(filters: Filters<RouteFilter>): RawBuilder<unknown> {
  return conditionSql(filters, ({ isOpen, ...pair }) => [
    ...pairConditions(pair, (name) => `route."${name}"`),
    ...(isOpen === undefined ? [] : [sql`route."isOpen" = ${isOpen}`]),
  ])
}
