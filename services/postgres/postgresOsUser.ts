import { execFileSync } from 'node:child_process'
import { userInfo } from 'node:os'

/** A user and group to run PostgreSQL as. */
export type PostgresUser = { name: string; uid: number; gid: number }

/**
 * PostgreSQL refuses to run as root. As root, this is the user to drop to: `postgres` where the
 * system has one, else `nobody`; null for everyone else, who run it as themselves.
 */
export function postgresUser(): PostgresUser | null {
  if (userInfo().uid !== 0) return null
  for (const name of ['postgres', 'nobody']) {
    try {
      return { name, uid: numericId('-u', name), gid: numericId('-g', name) }
    } catch {
      // No such user here.
    }
  }
  throw new Error(
    'PostgreSQL cannot run as root, and this system has neither a user "postgres" nor "nobody" to run it as. ' +
      'Start as an ordinary user, or set DATABASE_URL to a server of your own.',
  )
}

function numericId(flag: '-u' | '-g', name: string): number {
  const id = Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }))
  if (!Number.isInteger(id)) throw new Error(`id ${flag} ${name} gave no number`)
  return id
}
