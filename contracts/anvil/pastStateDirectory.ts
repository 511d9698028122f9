import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../services/process/processInfo.ts'

const NAME = /^cairn-anvil-states-(\d+)-/

/**
 * A new directory for the states of old blocks that a node of this process writes to disk. anvil leaves its own
 * behind, gigabytes over time. The caller removes this one; those that killed processes left are removed here.
 *
 * @param parent may be anybody's to write, as /tmp is: only directories of this user are touched
 */
export function createPastStateDirectory(parent: string = tmpdir()): string {
  for (const name of readdirSync(parent)) {
    const pid = NAME.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) removePastStateDirectory(join(parent, name))
  }
  return mkdtempSync(join(parent, `cairn-anvil-states-${process.pid}-`))
}

export function removePastStateDirectory(directory: string): void {
  try {
    // A link would lead anywhere.
    const found = lstatSync(directory)
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return
    rmSync(directory, { recursive: true, force: true, maxRetries: 2 })
  } catch {
    // Another start removes it, or a node that is just ending still writes to it: the next start sees.
  }
}
