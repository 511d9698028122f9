import { sql } from 'kysely'
import type { PairDayRow, PairHourRow } from '../../../src/projection/rows.ts'
import { selectList, sqlColumn } from '../database/columns.ts'
import type { Db } from '../database/database.ts'
import type { Filters } from '../database/filterSql.ts'
import { inOrder, type KeysetColumn, type KeysetPage, keysetSql } from '../database/keyset.ts'
import { type PairDayFilter, type PairHourFilter, pairCondition } from './pairFilter.ts'

/** The period of a pair's statistics. */
type Period = 'day' | 'hour'

type Row = { day: PairDayRow; hour: PairHourRow }
type Filter = { day: Filters<PairDayFilter>; hour: Filters<PairHourFilter> }

const TABLES = {
  day: { row: 'pairDay', alias: 'pair_day' },
  hour: { row: 'pairHour', alias: 'pair_hour' },
} as const
const PAIR = ['sourceChainId', 'destChainId', 'tokenA', 'tokenB'] as const

/** A page of pairs' days or hours, ordered by period, then pair. */
export async function listPairPeriods<By extends Period>(
  db: Db,
  by: By,
  filter: Filter[By],
  page: KeysetPage,
): Promise<readonly Row[By][]> {
  const { row, alias } = TABLES[by]
  const keyset = [by, ...PAIR].map((name): KeysetColumn => {
    return {
      sql: `${alias}.${sqlColumn(name)}`,
      type: name.startsWith('token') ? 'text' : 'bigint',
    }
  })
  const { rows } = await sql<Row[By]>`select ${sql.raw(selectList(row, alias))}
    from cairn.${sql.raw(alias)} as ${sql.raw(alias)}
    ${keysetSql(keyset, [pairCondition(filter, alias)], page)}`.execute(db)
  return inOrder(rows, page)
}

/** A row's place in `listPairPeriods`. */
export function pairPeriodPlace(row: PairDayRow | PairHourRow): string[] {
  const period = 'day' in row ? row.day : row.hour
  return [period, ...PAIR.map((name) => row[name])].map(String)
}

/** How many rows pass a filter. */
export async function countPairPeriods<By extends Period>(
  db: Db,
  by: By,
  filter: Filter[By],
): Promise<number> {
  const { alias } = TABLES[by]
  const where = pairCondition(filter, alias)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from cairn.${sql.raw(alias)} as ${sql.raw(alias)} where ${where}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
