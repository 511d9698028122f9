import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SolverDayRow } from '../../../src/projection/rows.ts'
import { selectList, sqlColumn } from '../database/columns.ts'
import type { Db } from '../database/database.ts'
import { inOrder, type KeysetColumn, type KeysetPage, keysetSql } from '../database/keyset.ts'
import type { Range } from '../intents/intentFilter.ts'

/** Which rows of `cairn.solver_day`; absent fields don't restrict. Addresses in lower case. */
export type SolverDayFilter = {
  solver?: Hex | undefined
  chainId?: number | undefined
  token?: Hex | undefined
  /** Days since 1970-01-01 UTC. */
  day?: Range<number> | undefined
}

const KEY = ['day', 'chainId', 'solver', 'token'] as const
const KEYSET: KeysetColumn[] = KEY.map((name) => ({
  sql: `solver_day.${sqlColumn(name)}`,
  type: name === 'solver' || name === 'token' ? 'text' : 'bigint',
}))

/** A page of solvers' days. */
export async function listSolverDays(
  db: Db,
  filter: SolverDayFilter,
  page: KeysetPage,
): Promise<readonly SolverDayRow[]> {
  const { rows } = await sql<SolverDayRow>`select ${sql.raw(selectList('solverDay', 'solver_day'))}
    from cairn.solver_day as solver_day ${keysetSql(KEYSET, conditions(filter), page)}`.execute(db)
  return inOrder(rows, page)
}

/** A row's place in `listSolverDays`. */
export function solverDayPlace(row: SolverDayRow): string[] {
  return KEY.map((name) => String(row[name]))
}

/** How many rows pass a filter. */
export async function countSolverDays(db: Db, filter: SolverDayFilter): Promise<number> {
  const where = sql.join([sql`true`, ...conditions(filter)], sql` and `)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from cairn.solver_day as solver_day where ${where}`.execute(db)
  return rows[0]?.count ?? 0
}

function conditions({ day, ...equal }: SolverDayFilter): RawBuilder<unknown>[] {
  const all = Object.entries(equal)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => sql`${sql.raw(`solver_day.${sqlColumn(name)}`)} = ${value}`)
  if (day?.from !== undefined) all.push(sql`solver_day.day >= ${day.from}::bigint`)
  if (day?.to !== undefined) all.push(sql`solver_day.day <= ${day.to}::bigint`)
  return all
}
