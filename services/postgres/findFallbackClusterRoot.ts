/**
 * Where root keeps files that PostgreSQL's user must reach, if that user can't enter the project's directory.
 * `CAIRN_POSTGRES_HOME` overrides it.
 */
export function findFallbackClusterRoot(): string {
  return process.env.CAIRN_POSTGRES_HOME ?? '/var/lib/cairn-postgres'
}
