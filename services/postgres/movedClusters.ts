import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** A cluster whose files are under `findFallbackClusterRoot()`, and the path that was requested. */
type MovedCluster = { path: string; requested: string }

const NOTE = '.belongs-to'

/** Records the owner beside a cluster's files, because others can't read the directory itself. */
export function noteOwner({ path, requested }: MovedCluster): void {
  writeFileSync(`${path}${NOTE}`, `${requested}\n`)
}

/** Deletes the record together with the cluster. */
export function forgetOwner(path: string): void {
  rmSync(`${path}${NOTE}`, { force: true })
}

/** Finds clusters that nothing refers to, because the directory that they were made for was deleted. */
export function findAbandonedClusters(): MovedCluster[] {
  const root = findFallbackClusterRoot()
  return namesIn(root)
    .filter((name) => name.endsWith(NOTE))
    .flatMap((name) => {
      const requested = readIfThere(join(root, name))?.trim()
      return requested === undefined
        ? []
        : [{ path: join(root, name.slice(0, -NOTE.length)), requested }]
    })
    .filter((cluster) => isThere(cluster.path) && !leadsTo(cluster))
}

/** A cluster's owner as part of a file name: `/root/cairn/.cairn/postgres` → `root-cairn-.cairn-postgres`. */
export function readableName(requested: string): string {
  return requested
    .replaceAll(/[^\w.]+/g, '-')
    .replace(/^-/, '')
    .slice(-80)
}

/** Another process may have removed the record since it was listed. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function leadsTo({ path, requested }: MovedCluster): boolean {
  if (!lstatSync(requested, { throwIfNoEntry: false })?.isSymbolicLink()) return false
  return resolve(dirname(requested), readlinkSync(requested)) === path
}

/**
 * Where root keeps files that PostgreSQL's user must reach, if that user can't enter the project's directory.
 * `CAIRN_POSTGRES_HOME` overrides it.
 */
export function findFallbackClusterRoot(): string {
  return process.env.CAIRN_POSTGRES_HOME ?? '/var/lib/cairn-postgres'
}
