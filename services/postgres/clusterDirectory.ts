import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { PostgresUser } from './choosePostgresOsUser.ts'
import { findFallbackClusterRoot, forgetOwner, noteOwner, readableName } from './movedClusters.ts'

/** Where a cluster's files are. `moved`: not at the requested path. */
type ClusterDirectory = { path: string; moved: boolean }

/**
 * Creates a cluster's directory. If `user` can't reach it, below a 0700 directory such as `/root`, the files live
 * under `findFallbackClusterRoot()` and `requested` becomes a symbolic link to them.
 *
 * @throws when the directory holds files that `user` can't reach, such as another user's cluster
 */
export function createClusterDirectory(
  requested: string,
  user: PostgresUser | null,
): ClusterDirectory {
  const link = resolve(requested)
  mkdirSync(dirname(link), { recursive: true })
  if (user === null) {
    mkdirSync(link, { recursive: true, mode: 0o700 })
    return { path: realpathSync(link), moved: false }
  }
  if (!isLink(link)) {
    mkdirSync(link, { recursive: true, mode: 0o700 })
    const isNew = readdirSync(link).length === 0
    if (isNew) chownSync(link, user.uid, user.gid)
    if (canReach(link, user)) return { path: realpathSync(link), moved: false }
    if (!isNew)
      throw new Error(
        `user "${user.name}" can't use ${link}, which holds files. Start as their owner, or move them away.`,
      )
    rmdirSync(link)
    const target = fallbackFor(link)
    // Left over from a directory that was deleted together with its link.
    rmSync(target, { recursive: true, force: true })
    symlinkSync(target, link)
  }
  const target = resolve(dirname(link), readlinkSync(link))
  mkdirSync(dirname(target), { recursive: true, mode: 0o755 })
  mkdirSync(target, { recursive: true, mode: 0o700 })
  chownSync(target, user.uid, user.gid)
  noteOwner({ path: target, requested: link })
  return { path: realpathSync(target), moved: true }
}

/** Deletes a cluster, wherever its files are. */
export function removeClusterDirectory(requested: string): void {
  const link = resolve(requested)
  if (isLink(link)) {
    const target = resolve(dirname(link), readlinkSync(link))
    rmSync(target, { recursive: true, force: true })
    forgetOwner(target)
  }
  rmSync(link, { recursive: true, force: true })
}

function fallbackFor(requested: string): string {
  const name = createHash('sha256').update(requested).digest('hex').slice(0, 12)
  return join(findFallbackClusterRoot(), `${readableName(requested)}-${name}`)
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

function canReach(path: string, user: PostgresUser): boolean {
  const { uid, gid } = user
  const script = ['-c', 'cd "$0" && [ -w . ]', path]
  return spawnSync('/bin/sh', script, { uid, gid, cwd: '/', stdio: 'ignore' }).status === 0
}
