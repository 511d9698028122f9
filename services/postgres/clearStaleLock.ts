import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findCommandLine } from '../process/processInfo.ts'

const TIMEOUT_MS = 10_000

/**
 * Removes `postmaster.pid` if the server that wrote it is gone, even if another program has its process id now. A
 * server that is still running (its guard may be stopping it) has `TIMEOUT_MS` to end.
 *
 * @throws when another server keeps using the directory
 */
export async function clearStaleLock(directory: string): Promise<void> {
  const lock = join(directory, 'postmaster.pid')
  const giveUpAt = performance.now() + TIMEOUT_MS
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
