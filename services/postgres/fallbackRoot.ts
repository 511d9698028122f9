/**
 * Where root keeps what the user that PostgreSQL runs as must be able to reach, when the project
 * itself lies below a directory closed to that user. `CAIRN_POSTGRES_HOME` moves it.
 */
export function fallbackRoot(): string {
  return process.env.CAIRN_POSTGRES_HOME ?? '/var/lib/cairn-postgres'
}
