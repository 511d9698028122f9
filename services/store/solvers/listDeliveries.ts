import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Delivery } from '../../../src/intent/facts.ts'
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

/** Which deliveries of a solver. */
export type DeliveryFilter = Choices<{
  destChainId: number
  sourceChainId: number
  tokenB: Hex
}> & {
  /** In base units of tokenB. */
  amountB?: Range<bigint> | undefined
  /** Unix seconds. */
  solvedAt?: Range<number> | undefined
}

/** By time; of one time by chain and number. */
const PLACE: readonly KeysetColumn[] = [
  { sql: 'd.solved_at', type: 'bigint' },
  { sql: 'd.dest_chain_id', type: 'bigint' },
  { sql: 'd.chain2_intent_id', type: 'numeric' },
]

const LIST = 'deliveries'

/** A page of a solver's deliveries. Without a solver there is no index in the order of time. */
export async function listDeliveries(
  db: Db,
  solver: Hex,
  filter: Filters<DeliveryFilter>,
  page: KeysetPage,
): Promise<readonly Delivery[]> {
  const { rows } = await listDeliveriesQuery(solver, filter, page).execute(db)
  return inOrder(rows, page)
}

/** The statement of `listDeliveries`. */
export function listDeliveriesQuery(
  solver: Hex,
  filter: Filters<DeliveryFilter>,
  page: KeysetPage,
): RawBuilder<Delivery> {
  const conditions = [sql`d.solver = ${solver}`, conditionSql(filter, conditionsOf)]
  return sql<Delivery>`select ${sql.raw(selectList('delivery', 'd'))}
    from cairn.delivery d ${keysetSql(PLACE, conditions, page)}`
}

/** A delivery's place in the list. */
export function deliveryCursor({ solvedAt, destChainId, chain2IntentId }: Delivery): string {
  return encodeCursor(LIST, [solvedAt, destChainId, chain2IntentId])
}

/** The place that a cursor names. Throws a CursorError for one of another list. */
export function deliveryPlace(cursor: string): string[] {
  return decodeCursor(LIST, ['integer', 'integer', 'numeric'], cursor)
}

function conditionsOf(filter: DeliveryFilter): RawBuilder<unknown>[] {
  return [
    ...choicesSql('d', ['destChainId', 'sourceChainId', 'tokenB'], filter),
    ...within('d.amount_b', filter.amountB),
    ...within('d.solved_at', filter.solvedAt),
  ]
}
