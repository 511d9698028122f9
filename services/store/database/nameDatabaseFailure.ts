import pg from 'pg'
import { findDatabaseProblem } from './databaseProblem.ts'

/** What a loop's failed work with the database is called in `/health`. Stable. */
type DatabaseFailure =
  /** It doesn't answer, or accepts no writes. */
  | 'DATABASE_UNREACHABLE'
  /** It answers, and refuses a statement: a bug, or a schema that was changed by hand. */
  | 'INTERNAL_ERROR'

/** @param error of a statement or of a connection */
export function nameDatabaseFailure(error: unknown): DatabaseFailure {
  const problem = findDatabaseProblem(error)
  // To a reader, a missing table is `not_ready`; to a role that has migrated the database itself, it was dropped.
  const isRefused = problem === null || problem === 'not_ready'
  return error instanceof pg.DatabaseError && isRefused ? 'INTERNAL_ERROR' : 'DATABASE_UNREACHABLE'
}
