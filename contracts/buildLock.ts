import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from '../services/process/processInfo.ts'

const LOOK_AGAIN_MS = 100

/**
 * Runs `task` while no other process of this machine does so under the same file. A process that waits finds
 * the other's work done: a dozen processes that start side by side compile once.
 *
 * @param path of the file that says who is at it. One of a process that is gone doesn't count; several
 *   that find such a one may then work at once, which costs time and does no harm.
 */
export async function withBuildLock<Result>(
  path: string,
  task: () => Promise<Result>,
): Promise<Result> {
  await mkdir(dirname(path), { recursive: true })
  while (!(await take(path))) {
    if (!(await isHeld(path))) await rm(path, { force: true })
    else await sleep(LOOK_AGAIN_MS)
  }
  try {
    return await task()
  } finally {
    await rm(path, { force: true })
  }
}

/** With its contents from the start: who can't read them knows that it is gone. */
async function take(path: string): Promise<boolean> {
  const own = `${path}.${process.pid}.${performance.now()}`
  await writeFile(own, String(process.pid))
  try {
    await link(own, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(own, { force: true })
  }
}

/** Whether the process that took it still runs. */
async function isHeld(path: string): Promise<boolean> {
  const holder = await readFile(path, 'utf8').catch(() => null)
  return holder !== null && isAlive(Number(holder))
}
