import { spawn } from 'node:child_process'
import { inheritCompileCache } from '../services/process/modules/inheritCompileCache.ts'
import { FAST_START_OPTIONS } from './rig/fastStartOptions.ts'

/** What a program printed until it ended, and its exit code; null when a signal ended it. */
export type ProgramRun = { code: number | null; stdout: string; stderr: string }

/** Runs a program of this project as users do: with Node, and nothing of our environment but `PATH` and the compiled code. */
export function runProgram(
  main: string,
  args: readonly string[],
  { env = {}, stdin = '' }: { env?: Record<string, string>; stdin?: string } = {},
): Promise<ProgramRun> {
  const child = spawn(process.execPath, [...FAST_START_OPTIONS, main, ...args], {
    env: { ...inheritCompileCache(env), PATH: process.env.PATH ?? '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // A program may exit before it has read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  const run: ProgramRun = { code: null, stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    run.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    run.stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ ...run, code }))
  })
}
