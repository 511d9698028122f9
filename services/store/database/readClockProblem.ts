import { sql } from 'kysely'
import { type ClockProblem, describeClockDifference } from './describeClockDifference.ts'
import type { Db } from './openDatabase.ts'

/**
 * Compares this process's clock with the database server's; null unless they differ.
 *
 * @param whose and `harm` as in `describeClockDifference`
 */
export async function readClockProblem(
  db: Db,
  whose: string,
  harm: string,
): Promise<ClockProblem | null> {
  const { rows } = await sql<{ now: number }>`
    select extract(epoch from clock_timestamp())::float8 as now`.execute(db)
  return describeClockDifference(whose, Date.now() / 1_000 - rows[0]!.now, harm)
}
