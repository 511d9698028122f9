import { type RawBuilder, sql } from 'kysely'
import { toColumnName } from '../../../core/rows/columnName.ts'
import type { PairDayRow } from '../../../src/projection/rowTypes.ts'
import type { Filters } from '../database/filterSql.ts'
import {
  countRows,
  type KeysetColumn,
  type KeysetPage,
  keysetCursors,
  readPage,
} from '../database/keysetPagination.ts'
import type { Db } from '../database/openDatabase.ts'
import {
  PAIR_COLUMNS,
  type PairDayFilter,
  pairCondition,
  pairKeyset,
  sumHistograms,
} from './pairFilter.ts'

/** A pair's days summed; `firstDay` and `lastDay` in days since 1970-01-01 UTC. */
export type PairTotal = Omit<PairDayRow, 'day' | 'senders' | 'sendersOfChain'> & {
  firstDay: number
  lastDay: number
}

/** Orders of pairs. Ties are broken by pair, in the same direction. */
export type PairTotalOrderBy = 'pair' | 'created' | 'completed'

const SUMS = [
  'created',
  'bids',
  'completed',
  'cancelled',
  'expired',
  'failed',
  'createdVolumeA',
  'completedVolumeA',
  'completedVolumeB',
  'fees',
  'rewards',
] as const satisfies readonly (keyof PairDayRow)[]

/** Lists a page of pairs, each summed over the selected days. */
export function listPairTotals(
  db: Db,
  filter: Filters<PairDayFilter>,
  by: PairTotalOrderBy,
  page: KeysetPage,
): Promise<readonly PairTotal[]> {
  const sums = SUMS.map((name) => `sum(pair_day.${toColumnName(name)}) as "${name}"`).join(', ')
  const totals = sql`select total.*, ${times(filter)} as "completionTimes" from (
      select ${sql.raw(PAIR_COLUMNS)}, ${sql.raw(sums)},
        min(pair_day.day) as "firstDay", max(pair_day.day) as "lastDay"
      from cairn.pair_day as pair_day where ${pairCondition(filter)} group by 1, 2, 3, 4
    ) as total`
  return readPage(db, totals, columnsOf(by), page)
}

/** Cursors of `listPairTotals` in that order. */
export function pairTotalCursors(by: PairTotalOrderBy) {
  return keysetCursors<PairTotal>(`pairTotals.${by}`, columnsOf(by))
}

function columnsOf(by: PairTotalOrderBy): KeysetColumn[] {
  const pair = pairKeyset('total')
  return by === 'pair' ? pair : [{ name: by, sql: `total."${by}"`, type: 'bigint' }, ...pair]
}

/** Counts the pairs with a row on the selected days. */
export function countPairs(db: Db, filter: Filters<PairDayFilter>): Promise<number> {
  return countRows(
    db,
    sql`(select ${sql.raw(PAIR_COLUMNS)} from cairn.pair_day as pair_day
      where ${pairCondition(filter)} group by 1, 2, 3, 4) as pair`,
  )
}

/** Sums the histograms of a total's days; evaluated for a page's rows only. */
function times(filter: Filters<PairDayFilter>): RawBuilder<unknown> {
  return sumHistograms(sql`cairn.pair_day as pair_day, jsonb_each_text(pair_day.completion_times) as time
    where ${sql.raw(SAME_PAIR)} and ${pairCondition(filter)}`)
}

const SAME_PAIR = `pair_day.source_chain_id = total."sourceChainId"
  and pair_day.dest_chain_id = total."destChainId"
  and pair_day.token_a = total."tokenA" and pair_day.token_b = total."tokenB"`
