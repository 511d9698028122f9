import { fileURLToPath } from 'node:url'
import type { ChainReport } from '../../../tools/replay/report.ts'
import { type ProgramRun, runProgram } from '../../runProgram.ts'

const MAIN = fileURLToPath(new URL('../../../tools/replay/main.ts', import.meta.url))

/** Runs the program as its users do. */
export function runReplay(
  args: readonly string[],
  env: Record<string, string>,
): Promise<ProgramRun> {
  return runProgram(MAIN, args, { env })
}

/** The reports of a run with `--json`, by chain. */
export function reportsOf({ stdout }: ProgramRun): Map<string, ChainReport> {
  const { chains } = JSON.parse(stdout) as { chains: ChainReport[] }
  return new Map(chains.map((report) => [report.chain, report]))
}
