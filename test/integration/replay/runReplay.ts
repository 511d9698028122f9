import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ChainReport } from '../../../tools/replay/report.ts'

const MAIN = fileURLToPath(new URL('../../../tools/replay/main.ts', import.meta.url))

export type ReplayRun = { code: number | null; stdout: string; stderr: string }

/** Runs the program as its users do. */
export function runReplay(
  args: readonly string[],
  env: Record<string, string>,
): Promise<ReplayRun> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const run: ReplayRun = { code: null, stdout: '', stderr: '' }
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

/** The reports of a run with `--json`, by chain. */
export function reportsOf({ stdout }: ReplayRun): Map<string, ChainReport> {
  const { chains } = JSON.parse(stdout) as { chains: ChainReport[] }
  return new Map(chains.map((report) => [report.chain, report]))
}
