import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { BidRow } from '../../../src/projection/rows.ts'
import { selectList } from '../database/columns.ts'
import { decodeCursor, encodeCursor } from '../database/cursor.ts'
import type { Db } from '../database/database.ts'
import {
  type Choices,
  choicesSql,
  conditionSql,
  type Filters,
  within,
} from '../database/filterSql.ts'
import { inOrder, type KeysetColumn, type KeysetPage, keysetSql } from '../database/keyset.ts'
import type { Range } from '../intents/intentFilter.ts'

/** Which bids of a solver. */
export type BidFilter = Choices<{ sourceChainId: number }> & {
  /** In base units of the intent's tokenB. */
  amountB?: Range<bigint> | undefined
  /** Unix seconds. */
  bidAt?: Range<number> | undefined
}

/** By time; of one time by intent and bid. */
const PLACE: readonly KeysetColumn[] = [
  { sql: 'b.bid_at', type: 'bigint' },
  { sql: 'b.source_chain_id', type: 'bigint' },
  { sql: 'b.intent_id', type: 'numeric' },
  { sql: 'b.bid_index', type: 'bigint' },
]

const LIST = 'bids'

/** A page of a solver's bids. Without a solver there is no index in the order of time. */
export async function listBids(
  db: Db,
  solver: Hex,
  filter: Filters<BidFilter>,
  page: KeysetPage,
): Promise<readonly BidRow[]> {
  const { rows } = await listBidsQuery(solver, filter, page).execute(db)
  return inOrder(rows, page)
}

/** The statement of `listBids`. */
export function listBidsQuery(
  solver: Hex,
  filter: Filters<BidFilter>,
  page: KeysetPage,
): RawBuilder<BidRow> {
  const conditions = [sql`b.solver = ${solver}`, conditionSql(filter, conditionsOf)]
  return sql<BidRow>`select ${sql.raw(selectList('bid', 'b'))}
    from cairn.bid b ${keysetSql(PLACE, conditions, page)}`
}

/** A bid's place in the list. */
export function bidCursor({ bidAt, sourceChainId, intentId, bidIndex }: BidRow): string {
  return encodeCursor(LIST, [bidAt, sourceChainId, intentId, bidIndex])
}

/** The place that a cursor names. Throws a CursorError for one of another list. */
export function bidPlace(cursor: string): string[] {
  return decodeCursor(LIST, ['integer', 'integer', 'numeric', 'integer'], cursor)
}

function conditionsOf(filter: BidFilter): RawBuilder<unknown>[] {
  return [
    ...choicesSql('b', ['sourceChainId'], filter),
    ...within('b.amount_b', filter.amountB),
    ...within('b.bid_at', filter.bidAt),
  ]
}
