/**
 * Where root keeps files that PostgreSQL's user must reach, when the project is inside a directory
 * closed to that user. `CAIRN_POSTGRES_HOME` moves it.
 */
export function fallbackRoot(): string {
  return process.env.CAIRN_POSTGRES_HOME ?? '/var/lib/cairn-postgres'
}
