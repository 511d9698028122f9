import { sql } from 'kysely'
import type { PairHourRow } from '../../../src/projection/rows.ts'
import { selectList, sqlColumn } from '../database/columns.ts'
import type { Db } from '../database/database.ts'
import { inOrder, type KeysetColumn, type KeysetPage, keysetSql } from '../database/keyset.ts'
import { type PairHourFilter, pairConditions } from '../intents/pairFilter.ts'

const KEY = ['hour', 'sourceChainId', 'destChainId', 'tokenA', 'tokenB'] as const
const KEYSET: KeysetColumn[] = KEY.map((name) => ({
  sql: `pair_hour.${sqlColumn(name)}`,
  type: name.startsWith('token') ? 'text' : 'bigint',
}))

/** A page of hours and pairs, by hour and within an hour by pair. */
export async function listPairHours(
  db: Db,
  filter: PairHourFilter,
  page: KeysetPage,
): Promise<readonly PairHourRow[]> {
  const { rows } = await sql<PairHourRow>`select ${sql.raw(selectList('pairHour', 'pair_hour'))}
    from cairn.pair_hour as pair_hour
    ${keysetSql(KEYSET, pairConditions(filter, 'pair_hour'), page)}`.execute(db)
  return inOrder(rows, page)
}

/** A row's place in `listPairHours`. */
export function pairHourPlace(row: PairHourRow): string[] {
  return KEY.map((name) => String(row[name]))
}

/** How many rows pass a filter. */
export async function countPairHours(db: Db, filter: PairHourFilter): Promise<number> {
  const where = sql.join([sql`true`, ...pairConditions(filter, 'pair_hour')], sql` and `)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from cairn.pair_hour as pair_hour where ${where}`.execute(db)
  return rows[0]?.count ?? 0
}
