import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A new directory for the states of old blocks that a node of this process writes to disk. anvil leaves its own
 * behind, gigabytes over time: the caller removes this one, and those of processes that were killed go here.
 */
export function makeStateDirectory(parent: string = join(tmpdir(), 'cairn-anvil-states')): string {
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(parent))
    if (!isAlive(Number.parseInt(name, 10))) removeStateDirectory(join(parent, name))
  return mkdtempSync(join(parent, `${process.pid}-`))
}

export function removeStateDirectory(directory: string): void {
  // A node that is just ending may still write to it: then the next start removes it.
  rmSync(directory, { recursive: true, force: true, maxRetries: 2 })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
