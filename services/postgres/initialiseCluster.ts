import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnGuardedProcess } from '../process/spawnGuardedProcess.ts'
import type { PostgresUser } from './choosePostgresOsUser.ts'
import type { PostgresBinaries } from './findPostgresBinaries.ts'

/** Name of every cluster's superuser and database. */
export const OWNER = 'cairn'

/** Written last. Without it, initialisation was interrupted. */
const PASSWORD_FILE = 'cairn.password'
const MAJOR_VERSION = '18'

/**
 * Initialises a cluster in `directory` unless there is one. Returns the superuser's password.
 *
 * @throws when the cluster belongs to another major version of PostgreSQL
 */
export async function initialiseCluster(
  directory: string,
  binaries: PostgresBinaries,
  user: PostgresUser | null,
): Promise<string> {
  const passwordFile = join(directory, PASSWORD_FILE)
  if (existsSync(passwordFile)) {
    refuseOtherVersion(directory)
    return readFileSync(passwordFile, 'utf8').trim()
  }
  const cluster = clusterFiles(directory)
  const handover = join(directory, 'handover')
  // Nothing else: the directory may hold other files.
  for (const leftover of [cluster, handover]) rmSync(leftover, { recursive: true, force: true })
  const password = randomBytes(18).toString('base64url')
  writeOwned(handover, password, user)
  await runInitdb(cluster, handover, binaries, user)
  rmSync(handover)
  writeOwned(passwordFile, password, user)
  return password
}

/** PostgreSQL's own data directory (`-D`). */
export function clusterFiles(directory: string): string {
  return join(directory, 'cluster')
}

async function runInitdb(
  cluster: string,
  passwordFile: string,
  binaries: PostgresBinaries,
  user: PostgresUser | null,
): Promise<void> {
  mkdirSync(cluster, { mode: 0o700 })
  if (user) chownSync(cluster, user.uid, user.gid)
  // Collation C: index order is byte order, the same on every system.
  const initdb = await spawnGuardedProcess(
    binaries.initdb,
    [
      `--pgdata=${cluster}`,
      `--username=${OWNER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
      '--no-sync',
    ],
    { cwd: '/', env: plainEnvironment(), ...(user && { uid: user.uid, gid: user.gid }) },
  )
  const end = await initdb.ended
  if (end.code !== 0) {
    throw new Error(`PostgreSQL could not initialise its files:\n${initdb.lastLines().join('\n')}`)
  }
}

/** Excludes the shell's settings (PGDATA, PGPORT, locale), which must not reach the server. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
}

function refuseOtherVersion(directory: string): void {
  const found = readFileSync(join(clusterFiles(directory), 'PG_VERSION'), 'utf8').trim()
  if (found !== MAJOR_VERSION) {
    throw new Error(
      `the files in ${directory} belong to PostgreSQL ${found}, this is ${MAJOR_VERSION}. Start with --fresh, or move them away.`,
    )
  }
}

function writeOwned(path: string, text: string, user: PostgresUser | null): void {
  writeFileSync(path, `${text}\n`, { mode: 0o600 })
  if (user) chownSync(path, user.uid, user.gid)
}
