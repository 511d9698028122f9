import { type RawBuilder, sql } from 'kysely'
import { sqlColumn } from '../database/columns.ts'
import type { Db } from '../database/database.ts'
import { inOrder, type KeysetColumn, type KeysetPage, keysetSql } from '../database/keyset.ts'
import { SOLVER_TOTALS, type SolverTotals } from './solverTotals.ts'

/** What solvers can be ordered by; ties by address, in the same direction. */
export type SolverOrderBy = Exclude<keyof SolverTotals, 'solver'> | 'address'

/** A page of solvers. The place of one is its value in the order, unless that is the address, and its address. */
export async function listSolvers(
  db: Db,
  by: SolverOrderBy,
  page: KeysetPage,
): Promise<readonly SolverTotals[]> {
  const { rows } = await listSolversQuery(by, page).execute(db)
  return inOrder(rows, page)
}

/** The statement of `listSolvers`. */
function listSolversQuery(by: SolverOrderBy, page: KeysetPage): RawBuilder<SolverTotals> {
  const value: KeysetColumn[] = by === 'address' ? [] : [{ sql: `totals."${by}"`, type: 'bigint' }]
  return sql<SolverTotals>`select * from (
      select ${sql.raw(SOLVER_TOTALS)} from cairn.solver_record record group by record.solver
    ) as totals ${keysetSql([...value, { sql: 'totals.solver', type: 'text' }], [], page)}`
}

/** How many solvers there are. */
export async function countSolvers(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct ${sql.ref(sqlColumn('solver'))}) as count from cairn.solver_record`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
