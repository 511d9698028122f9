import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { findFreePort } from '../process/findFreePort.ts'
import { findCommandLine } from '../process/processInfo.ts'
import {
  type GuardedEnd,
  type GuardedProcess,
  spawnGuardedProcess,
} from '../process/spawnGuardedProcess.ts'
import { choosePostgresOsUser, type PostgresUser } from './choosePostgresOsUser.ts'
import { createClusterDirectory } from './clusterDirectory.ts'
import { findPostgresBinaries, type PostgresBinaries } from './findPostgresBinaries.ts'
import { clusterFiles, initialiseCluster, OWNER, plainEnvironment } from './initialiseCluster.ts'
import { findAbandonedClusters } from './movedClusters.ts'

type StartPostgresOptions = {
  /** Directory of the cluster's files, created if absent. */
  dataDirectory: string
  /** TCP port on 127.0.0.1. Default: a free one. */
  port?: number
  /** Server settings, such as `{ fsync: 'off' }` for tests. */
  settings?: Record<string, string>
  /** Called with each line of the server's log. */
  onLine?: (line: string) => void
  /** Called with notices for the operator, such as where the files are if not at the requested path. */
  onNotice?: (notice: string) => void
}

export type RunningPostgres = {
  /** `postgres://…` URL of a database that is empty at first and owned by its user. */
  databaseUrl: string
  port: number
  /** Process id of the server. */
  pid: number
  /** Where the files really are; see `createClusterDirectory`. */
  directory: string
  /** Resolves when the server has ended for any reason. */
  ended: Promise<GuardedEnd>
  /** Shuts the server down: closes connections and flushes everything. */
  stop(): Promise<void>
}

const ATTEMPTS = 5

/**
 * Milliseconds until a server that was asked to end is killed. Its last checkpoint after a first start writes 3,000 files: ten
 * seconds on a busy disk.
 */
const END_MS = 60_000

/**
 * Starts a real PostgreSQL on a loopback port. Works as root (as another user), ends with this process even after
 * `kill -9`, and then starts again.
 *
 * @throws with the server's own message when it can't start
 */
export async function startPostgres(options: StartPostgresOptions): Promise<RunningPostgres> {
  const user = choosePostgresOsUser()
  const binaries = findPostgresBinaries(user)
  const { path: directory, moved } = createClusterDirectory(options.dataDirectory, user)
  if (moved) {
    options.onNotice?.(
      `PostgreSQL runs as user "${user?.name}", which can't access ${options.dataDirectory}: its files are in ${directory}`,
    )
    for (const { path, requested } of findAbandonedClusters())
      options.onNotice?.(
        `${path} is left over from ${requested}, which is gone. If you don't need it: rm -r '${path}'`,
      )
  }
  const password = await initialiseCluster(directory, binaries, user)
  await clearStaleLock(clusterFiles(directory))
  const { server, port } = await launchOnFreePort(directory, binaries, user, options)
  const urlOf = (database: string) =>
    `postgres://${OWNER}:${password}@127.0.0.1:${port}/${database}`
  try {
    await createDatabase(urlOf('postgres'))
  } catch (error) {
    await server.end()
    throw error
  }
  return {
    databaseUrl: urlOf(OWNER),
    port,
    pid: server.pid,
    directory,
    ended: server.ended,
    stop: async () => {
      await server.end()
    },
  }
}

async function launchOnFreePort(
  directory: string,
  binaries: PostgresBinaries,
  user: PostgresUser | null,
  options: StartPostgresOptions,
): Promise<{ server: GuardedProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await findFreePort())
    const server = await spawnGuardedProcess(
      binaries.postgres,
      ['-D', clusterFiles(directory), '-p', String(port), ...settingFlags(options.settings)],
      {
        cwd: '/',
        env: plainEnvironment(),
        // SIGINT is PostgreSQL's fast shutdown: disconnect everyone, then write a checkpoint.
        endSignal: 'SIGINT',
        timeoutMs: END_MS,
        ...(user && { uid: user.uid, gid: user.gid }),
      },
    )
    if (options.onLine) server.onLine(options.onLine)
    const problem = await server.says('database system is ready to accept connections')
    if (problem === null) return { server, port }
    const portLost = options.port === undefined && problem.includes('could not bind')
    // The backends of a killed server take a moment to notice and to release its shared memory.
    const stillLeaving = problem.includes('shared memory block')
    if (!(portLost || stillLeaving) || attempt === ATTEMPTS) {
      throw new Error(`PostgreSQL did not start on port ${port}:\n${problem}`)
    }
    if (stillLeaving) await new Promise((resolve) => setTimeout(resolve, 500 * attempt))
  }
}

function settingFlags(extra: Record<string, string> = {}): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    // Short queries on small tables don't repay the compile time of JIT.
    jit: 'off',
    ...extra,
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function createDatabase(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  // A broken connection also fails its query. Without a listener, it would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [OWNER])
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${OWNER}`)
  } finally {
    await client.end()
  }
}

/**
 * Removes `postmaster.pid` if the server that wrote it is gone, even if another program has its process id now. A
 * server that is still running (its guard may be stopping it) has `END_MS` to end.
 *
 * @throws when another server keeps using the directory
 */
async function clearStaleLock(directory: string): Promise<void> {
  const lock = join(directory, 'postmaster.pid')
  const giveUpAt = performance.now() + END_MS
  for (;;) {
    const pid = readPid(lock)
    if (pid === null) return
    if (!isServerOf(pid, directory)) return rmSync(lock, { force: true })
    if (performance.now() > giveUpAt) {
      throw new Error(`another PostgreSQL (process ${pid}) is running on ${directory}`)
    }
    await pause(100)
  }
}

function readPid(lock: string): number | null {
  try {
    return Number(readFileSync(lock, 'utf8').split('\n')[0])
  } catch {
    return null
  }
}

function isServerOf(pid: number, directory: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  const command = findCommandLine(pid) ?? ''
  return command.includes('postgres') && command.includes(directory)
}
