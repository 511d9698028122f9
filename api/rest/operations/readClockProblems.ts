import { sql } from 'kysely'
import {
  type ClockProblem,
  describeClockDifference,
} from '../../../services/store/database/describeClockDifference.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'

/** Compares this process's clock with the database server's: senders, solvers and recipients sign the time. */
export async function readClockProblems(db: Db): Promise<ClockProblem[]> {
  const { rows } = await sql<{ now: number }>`
    select extract(epoch from clock_timestamp())::float8 as now`.execute(db)
  const ahead = Date.now() / 1_000 - rows[0]!.now
  const harm = 'this API refuses requests whose signed time is more than five minutes off its own'
  const problem = describeClockDifference('this API’s', ahead, harm)
  return problem === null ? [] : [problem]
}
