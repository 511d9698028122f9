import { fileURLToPath } from 'node:url'
import { runSweep } from '../../../tools/sweep/runSweep.ts'
import type { Report } from '../../../tools/sweep/sweepReport.ts'
import { type ProgramRun, runProgram } from '../../runProgram.ts'

const MAIN = fileURLToPath(new URL('../../../tools/sweep/main.ts', import.meta.url))

/** Runs the program within this process, which is quicker by its start. */
export async function sweepInProcess(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<ProgramRun> {
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
export function sweepAsProcess(args: readonly string[], stdin = ''): Promise<ProgramRun> {
  return runProgram(MAIN, args, { stdin })
}

/** What a run with `--json` printed. */
export function parseReport({ stdout }: ProgramRun): Report {
  return JSON.parse(stdout) as Report
}
