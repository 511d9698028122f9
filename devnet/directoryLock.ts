import { closeSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findStartTime } from '../services/process/processInfo.ts'

/** Another devnet uses the directory. */
export class DirectoryInUse extends Error {
  override name = 'DirectoryInUse'
  readonly pid: number

  constructor(directory: string, pid: number) {
    super(
      `a devnet is already running on ${directory} (process ${pid}); end it, or use --directory`,
    )
    this.pid = pid
  }
}

const PREFIX = 'devnet.lock.'

/**
 * Locks the directory for this process and returns a function that releases it. Each process marks its claim with a file
 * named after it, and then looks for claims of others: of two that start at once, at least one sees the other. A claim
 * counts while its process lives; since process ids are reused, it names the start time too.
 *
 * @throws DirectoryInUse
 */
export function lockDirectory(directory: string): () => void {
  const own = claimOf(process.pid, findStartTime(process.pid) ?? '')
  // Exclusively: one process doesn't run two devnets on a directory either.
  const isNew = claim(join(directory, own))
  const release = () => rmSync(join(directory, own), { force: true })
  for (const name of findClaims(directory)) {
    const pid = claimantOf(name)
    if (!isLive(name)) rmSync(join(directory, name), { force: true })
    else if (name !== own || !isNew) {
      if (isNew) release()
      throw new DirectoryInUse(directory, pid)
    }
  }
  return release
}

/** Whether a devnet runs on the directory, or is starting. */
export function isDirectoryLocked(directory: string): boolean {
  return findClaims(directory).some(isLive)
}

function findClaims(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.startsWith(PREFIX))
}

function claimantOf(claim: string): number {
  return Number(claim.slice(PREFIX.length).split('.')[0])
}

function isLive(claim: string): boolean {
  const pid = claimantOf(claim)
  return claim === claimOf(pid, findStartTime(pid) ?? 'none')
}

function claimOf(pid: number, startTime: string): string {
  return `${PREFIX}${pid}.${encodeURIComponent(startTime)}`
}

/** @returns false if this process has claimed the directory before */
function claim(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}
