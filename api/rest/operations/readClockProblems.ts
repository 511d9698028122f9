import { sql } from 'kysely'
import {
  type ClockProblem,
  describeClockDifference,
} from '../../../services/store/database/describeClockDifference.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'

/** This process's clock, compared with the database server's: senders, solvers and recipients sign times. */
export async function readClockProblems(db: Db): Promise<ClockProblem[]> {
  const { rows } = await sql<{ now: number }>`
    select extract(epoch from clock_timestamp())::float8 as now`.execute(db)
  const ahead = Date.now() / 1_000 - rows[0]!.now
  const harm = 'this API refuses requests that were signed more than five minutes from its time'
  const problem = describeClockDifference('this API’s', ahead, harm)
  return problem === null ? [] : [problem]
}
