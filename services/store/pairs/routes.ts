import { sql } from 'kysely'
import { conditionSql, type Filters } from '../database/filterSql.ts'
import { keysetList } from '../database/keysetPagination.ts'
import {
  PAIR_COLUMNS,
  type Pair,
  type PairFilter,
  pairConditions,
  pairKeyset,
} from './pairFilter.ts'

/** A pair with intents, and whether a new one can be created on it now. */
type Route = Pair & {
  isOpen: boolean
  /** Limits on the escrow (amountA + reward) in base units; null if the bridge never listed the token. */
  minEscrow: bigint | null
  maxEscrow: bigint | null
}

/** Filters routes; absent fields don't restrict. */
export type RouteFilter = PairFilter & { isOpen?: boolean | undefined }

/** Derived from existing intents, because tokenB may be any address of another chain. */
const ROUTES_SQL =
  sql.raw(`select pair.*, token.min_amount as "minEscrow", token.max_amount as "maxEscrow",
      coalesce(token.listed and destination.listed and not bridge.creation_paused, false) as "isOpen"
    from (select ${PAIR_COLUMNS} from cairn.pair_day as pair_day group by 1, 2, 3, 4) as pair
    left join cairn.bridge_token token
      on token.chain_id = pair."sourceChainId" and token.token = pair."tokenA"
    left join cairn.bridge_destination destination
      on destination.chain_id = pair."sourceChainId" and destination.dest_chain_id = pair."destChainId"
    left join cairn.bridge bridge on bridge.chain_id = pair."sourceChainId"`)

/** The routes, ordered by pair. */
export const ROUTES = keysetList<Filters<RouteFilter>, Route>({
  name: 'routes',
  relation: sql`(${ROUTES_SQL}) as route`,
  columns: pairKeyset('route'),
  conditionOf: (filters) =>
    conditionSql(filters, ({ isOpen, ...pair }) => [
      ...pairConditions(pair, (name) => `route."${name}"`),
      ...(isOpen === undefined ? [] : [sql`route."isOpen" = ${isOpen}`]),
    ]),
})
