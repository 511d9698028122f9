import type { Stats } from 'node:fs'

/**
 * Whether others on this machine can read a secret's file. Root's file may be readable by a group, as PostgreSQL allows for
 * its own key: that is how Kubernetes mounts secrets for an account other than root.
 *
 * @param account who runs this process; null on Windows, which has no such modes
 */
export function isReadableByOthers(
  { mode, uid }: Pick<Stats, 'mode' | 'uid'>,
  account: number | null = process.getuid?.() ?? null,
): boolean {
  if (account === null) return false
  const isForGroup = uid === 0 && account !== 0
  return (mode & (isForGroup ? 0o037 : 0o077)) !== 0
}
