import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SolverDayRow } from '../../../src/projection/rows.ts'
import { selectList, sqlColumn } from '../database/columns.ts'
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

/** Which rows of `cairn.solver_day`. Addresses in lower case. */
export type SolverDayFilter = Choices<{ solver: Hex; chainId: number; token: Hex }> & {
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
  filter: Filters<SolverDayFilter>,
  page: KeysetPage,
): Promise<readonly SolverDayRow[]> {
  const { rows } = await sql<SolverDayRow>`select ${sql.raw(selectList('solverDay', 'solver_day'))}
    from cairn.solver_day as solver_day ${keysetSql(KEYSET, [passes(filter)], page)}`.execute(db)
  return inOrder(rows, page)
}

/** A row's place in `listSolverDays`. */
export function solverDayPlace(row: SolverDayRow): string[] {
  return KEY.map((name) => String(row[name]))
}

/** How many rows pass a filter. */
export async function countSolverDays(db: Db, filter: Filters<SolverDayFilter>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from cairn.solver_day as solver_day where ${passes(filter)}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

function passes(filters: Filters<SolverDayFilter>): RawBuilder<unknown> {
  return conditionSql(filters, conditions)
}

function conditions(filter: SolverDayFilter): RawBuilder<unknown>[] {
  return [
    ...choicesSql('solver_day', ['solver', 'chainId', 'token'], filter),
    ...within('solver_day.day', filter.day),
  ]
}
