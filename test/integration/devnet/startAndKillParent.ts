import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isAlive } from '../../../services/process/processInfo.ts'
import { FAST_START_OPTIONS } from '../../rig/fastStartOptions.ts'

const PROGRAM = fileURLToPath(new URL('./killedParent.ts', import.meta.url))

/** Starts PostgreSQL or anvil from a separate process, kills that with -9, and returns what it started. */
export async function startAndKillParent(
  what: 'postgres' | 'anvil',
  path: string,
): Promise<{ pid: number; port: number }> {
  const parent = spawn(process.execPath, [...FAST_START_OPTIONS, PROGRAM, what, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const started = JSON.parse(line.toString()) as { pid: number; port: number }
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  return started
}

/** Resolves when no process has this id. The caller's test timeout is the limit. */
export async function awaitExit(pid: number): Promise<void> {
  while (isAlive(pid)) await pause(20)
}
