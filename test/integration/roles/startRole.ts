import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { inheritCompileCache } from '../../../services/process/modules/inheritCompileCache.ts'

const MAIN = fileURLToPath(new URL('../../../services/main.ts', import.meta.url))

export type RunningRole = {
  child: ChildProcess
  /** All that it has written so far. */
  said(): string
  /** Its exit code; null if a signal ended it. */
  ended: Promise<number | null>
}

/**
 * A role as an operator starts it: by the environment, with nobody to talk to over IPC.
 *
 * @param stdout a file that gets its log, which `said` then lacks
 */
export function startRole(
  role: string,
  variables: Record<string, string>,
  stdout: number | 'pipe' = 'pipe',
): RunningRole {
  const { PATH } = process.env
  const child = spawn(process.execPath, [MAIN, role], {
    env: { ...inheritCompileCache(variables), PATH, ...variables },
    stdio: ['ignore', stdout, 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk
    })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, said: () => output, ended }
}
