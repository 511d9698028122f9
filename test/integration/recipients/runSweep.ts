import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Report } from '../../../tools/sweep/report.ts'
import { runSweep } from '../../../tools/sweep/runSweep.ts'

const MAIN = fileURLToPath(new URL('../../../tools/sweep/main.ts', import.meta.url))

export type SweepRun = { code: number | null; stdout: string; stderr: string }

/** Runs the program within this process, which is quicker by its start. */
export async function sweepHere(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<SweepRun> {
  const said = { stdout: '', stderr: '' }
  const code = await runSweep(args, env, {
    log: (text) => {
      said.stdout += `${text}\n`
    },
    error: (text) => {
      said.stderr += `${text}\n`
    },
  })
  return { code, ...said }
}

/** Runs the program as its users do. */
export function sweepAsProcess(args: readonly string[], stdin = ''): Promise<SweepRun> {
  const env = { PATH: process.env.PATH ?? '' }
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  // A run that ends before it has read is no error of ours.
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  const run: SweepRun = { code: null, stdout: '', stderr: '' }
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

/** What a run with `--json` printed. */
export function reportOf({ stdout }: SweepRun): Report {
  return JSON.parse(stdout) as Report
}
