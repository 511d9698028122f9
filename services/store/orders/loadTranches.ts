import { sql } from 'kysely'
import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'
import type { TrancheRow } from '../../../src/projection/rowTypes.ts'
import { UNPREPARED, withinSql } from '../asOf/cutoffSql.ts'
import { selectList } from '../database/columnSql.ts'
import type { Db } from '../database/openDatabase.ts'
import { type OrderKey, requestedOrders } from './findOrder.ts'

type TranchePage = {
  /** Only tranches with a higher index; -1 for all. */
  after: number
  /** Limit for each order. */
  limit: number
  within?: Cutoffs | undefined
}

/** Loads the tranches of each order by index; orders in no particular order. One statement. */
export async function loadTranches(
  db: Db,
  keys: readonly OrderKey[],
  { after, limit, within }: TranchePage,
): Promise<TrancheRow[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<TrancheRow>`${sql.raw(within ? UNPREPARED : '')}
    select tranche.* from ${requestedOrders(keys)} cross join lateral (
      select ${sql.raw(selectList('tranche', 't'))} from cairn.tranche t
      where t.chain_id = requested.chain and t.order_id = requested.id and t.tranche_index > ${after}::bigint
        and ${sql.raw(withinSql('tranche', 't', within))}
      order by t.tranche_index limit ${limit}) as tranche order by tranche."trancheIndex"`.execute(
    db,
  )
  return rows
}
