import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { startTimeOf } from '../services/process/processFacts.ts'

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

/**
 * Locks the directory for this process and returns a function that releases it. Takes over a lock whose owner is gone; an
 * owner is a process id and start time, since ids are reused.
 *
 * @throws DirectoryInUse
 */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, 'devnet.lock')
  for (;;) {
    try {
      const file = openSync(path, 'wx', 0o600)
      writeSync(file, JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid) }))
      closeSync(file)
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const owner = liveOwner(path)
      if (owner !== null) throw new DirectoryInUse(directory, owner)
      rmSync(path, { force: true })
    }
  }
}

function liveOwner(path: string): number | null {
  try {
    const { pid, startTime } = JSON.parse(readFileSync(path, 'utf8')) as {
      pid: number
      startTime: string | null
    }
    return startTime !== null && startTimeOf(pid) === startTime ? pid : null
  } catch {
    return null // Partly written, or removed meanwhile.
  }
}
