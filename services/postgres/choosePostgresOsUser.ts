import { execFileSync } from 'node:child_process'
import { userInfo } from 'node:os'

/** The user and group that PostgreSQL runs as. */
export type PostgresUser = { name: string; uid: number; gid: number }

let chosen: PostgresUser | undefined

/**
 * PostgreSQL refuses to run as root. As root, returns the user to run it as: `postgres` if the system has one, else
 * `nobody`. Null for any other user, who runs it directly.
 */
export function choosePostgresOsUser(): PostgresUser | null {
  if (userInfo().uid !== 0) return null
  chosen ??= findUser()
  return chosen
}

function findUser(): PostgresUser {
  for (const name of ['postgres', 'nobody']) {
    try {
      return { name, uid: numericId('-u', name), gid: numericId('-g', name) }
    } catch {
      // The system has no such user.
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
