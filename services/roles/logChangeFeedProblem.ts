import type { Logger } from 'pino'
import { describeDatabaseProblem, findDatabaseProblem } from '../store/database/databaseProblem.ts'

/** Reads may still find the database: only what can't be read is answered with 503. */
const UNTIL_THEN =
  'Until then, no changes are pushed, and reads that fail too are answered with 503'

/** Logs why the change feed can't listen: one line per reason, since it keeps retrying. */
export function logChangeFeedProblem(
  log: Pick<Logger, 'info' | 'warn'>,
  databaseUrl: string,
): (error: Error) => void {
  let reported = ''
  return (error) => {
    const isUnfilled = findDatabaseProblem(error) === 'not_ready'
    const words = isUnfilled
      ? 'waiting for the indexer: the database has no index yet'
      : describeDatabaseProblem(error, 'DATABASE_URL', databaseUrl)
    const line = words ?? `the change feed can’t be reached: ${error.message}`
    if (line === reported) return
    reported = line
    if (isUnfilled) log.info(line)
    else if (words === null) log.warn({ err: error }, line)
    else log.warn(`${line.endsWith('?') ? line : `${line}.`} ${UNTIL_THEN}`)
  }
}
