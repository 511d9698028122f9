import { type RawBuilder, sql } from 'kysely'
import type { PairDayRow } from '../../../src/projection/rows.ts'
import { selectList, sqlColumn } from '../database/columns.ts'
import type { Db } from '../database/database.ts'
import { inOrder, type KeysetColumn, type KeysetPage, keysetSql } from '../database/keyset.ts'
import { type PairDayFilter, pairConditions } from '../intents/pairFilter.ts'

const KEY = ['day', 'sourceChainId', 'destChainId', 'tokenA', 'tokenB'] as const
const KEYSET: KeysetColumn[] = KEY.map((name) => ({
  sql: `pair_day.${sqlColumn(name)}`,
  type: name.startsWith('token') ? 'text' : 'bigint',
}))

/** A page of days and pairs, by day and within a day by pair. */
export async function listPairDays(
  db: Db,
  filter: PairDayFilter,
  page: KeysetPage,
): Promise<readonly PairDayRow[]> {
  const { rows } = await listPairDaysQuery(filter, page).execute(db)
  return inOrder(rows, page)
}

/** The statement of `listPairDays`. */
export function listPairDaysQuery(filter: PairDayFilter, page: KeysetPage): RawBuilder<PairDayRow> {
  return sql<PairDayRow>`select ${sql.raw(selectList('pairDay', 'pair_day'))}
    from cairn.pair_day as pair_day ${keysetSql(KEYSET, pairConditions(filter), page)}`
}

/** A row's place in `listPairDays`. */
export function pairDayPlace(row: PairDayRow): string[] {
  return KEY.map((name) => String(row[name]))
}

/** How many rows pass a filter. */
export async function countPairDays(db: Db, filter: PairDayFilter): Promise<number> {
  const where = sql.join([sql`true`, ...pairConditions(filter)], sql` and `)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from cairn.pair_day as pair_day where ${where}`.execute(db)
  return rows[0]?.count ?? 0
}
