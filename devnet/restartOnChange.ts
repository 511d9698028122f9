import { watch } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DEVNET_ROLES, type DevnetRole } from './devnetOptions.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const WATCHED = ['src', 'core', 'api', 'sdk', 'services', 'ponder.schema.ts', 'ponder.config.ts']

/** Milliseconds to wait after the last change: an editor or a checkout writes many files. */
const QUIET_MS = 300

/** The programs affected by a source file. */
function rolesRunning(path: string): DevnetRole[] {
  // The indexer imports no server code, nor do the enclave and the reactions.
  if (path.startsWith('api')) return ['api', 'solver-1', 'solver-2']
  return path.startsWith('ponder') ? ['indexer', 'api'] : [...DEVNET_ROLES]
}

/**
 * Ends the devnet's programs when their sources change; their supervisor restarts them on the new sources.
 *
 * @param rolePids returns the programs' current process ids
 * @returns a function that stops watching
 */
export function restartOnChange(
  rolePids: () => Partial<Record<DevnetRole, number>>,
  root = ROOT,
): () => void {
  const concerned = new Set<DevnetRole>()
  let timer: NodeJS.Timeout | undefined
  const restart = () => {
    const pids = rolePids()
    for (const role of concerned) end(pids[role])
    concerned.clear()
  }
  const watchers = WATCHED.map((path) =>
    watch(`${root}/${path}`, { recursive: true, persistent: false }, () => {
      for (const role of rolesRunning(path)) concerned.add(role)
      clearTimeout(timer)
      timer = setTimeout(restart, QUIET_MS)
    }),
  )
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}

function end(pid: number | undefined): void {
  try {
    if (pid) process.kill(pid, 'SIGTERM')
  } catch {
    // It has already ended and is about to restart on the new sources.
  }
}
