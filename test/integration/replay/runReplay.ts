import { fileURLToPath } from 'node:url'
import type { ChainReport } from '../../../tools/replay/replayReport.ts'
import { runReplay as run } from '../../../tools/replay/runReplay.ts'
import { type ProgramRun, runProgram } from '../../runProgram.ts'

const MAIN = fileURLToPath(new URL('../../../tools/replay/main.ts', import.meta.url))

/** Runs the program as its users do. */
export function runReplayProgram(
  args: readonly string[],
  env: Record<string, string>,
): Promise<ProgramRun> {
  return runProgram(MAIN, args, { env })
}

/** The same within this process, which has loaded it already. */
export async function runReplay(
  args: readonly string[],
  env: Record<string, string>,
): Promise<ProgramRun> {
  const said = { stdout: '', stderr: '' }
  const streamOf = (name: keyof typeof said) => ({
    isTTY: false,
    write: (text: string) => {
      said[name] += text
    },
  })
  const streams = { stdout: streamOf('stdout'), stderr: streamOf('stderr') }
  return { code: await run(args, env, streams), ...said }
}

/** The reports of a run with `--json`, by chain. */
export function reportsOf({ stdout }: ProgramRun): Map<string, ChainReport> {
  const { chains } = JSON.parse(stdout) as { chains: ChainReport[] }
  return new Map(chains.map((report) => [report.chain, report]))
}
