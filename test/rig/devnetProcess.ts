import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type DevnetFile, readDevnetFile } from '../../devnet/devnetFile.ts'
import { isAlive } from '../../services/process/processInfo.ts'
import { until } from './until.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** How to wait at a devnet: its auctions end by the clock, and each poll may cost its API an answer. */
export const DEVNET_POLLING = { timeout: 230_000, interval: 200 }

/** `npm start` as a process of its own. */
export type DevnetProcess = {
  pid: number
  output(): string
  /** Resolves when the welcome is printed. @throws with the output if it ends before */
  running(): Promise<DevnetFile>
  /** Process ids of everything it has started. */
  descendants(): number[]
  signal(name: NodeJS.Signals): void
  ended: Promise<number | null>
}

const started = new Set<ChildProcess>()

export function startDevnetProcess(directory: string, ...options: string[]): DevnetProcess {
  const args = ['--no-warnings', 'services/main.ts', 'devnet', '--directory', directory, ...options]
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  started.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  ended.then(() => started.delete(child))
  return {
    pid: child.pid ?? 0,
    output: () => output,
    running: async () => {
      await Promise.race([
        until(() => output.includes('Try next'), 'the welcome', DEVNET_POLLING),
        ended.then((code) => {
          throw new Error(`ended with code ${code}:\n${output}`)
        }),
      ])
      return readDevnetFile(directory)
    },
    descendants: () => descendantsOf(child.pid ?? 0),
    signal: (name) => void child.kill(name),
    ended,
  }
}

/** Ends whatever a failed test left running. */
export async function endAll(): Promise<void> {
  for (const child of started) child.kill('SIGKILL')
  await until(() => started.size === 0, 'every devnet has ended')
}

/** Resolves when all of these processes have ended. */
export function awaitAllEnded(pids: number[]): Promise<void> {
  return until(() => pids.every((pid) => !isAlive(pid)), `the end of ${pids.join(', ')}`)
}

/** Process ids of everything that a process has started, and what that has. */
export function descendantsOf(root: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const parents = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const found: number[] = []
  const visit = (parent: number) => {
    for (const [pid = 0, ppid] of parents) {
      if (ppid !== parent || found.includes(pid)) continue
      found.push(pid)
      visit(pid)
    }
  }
  visit(root)
  return found
}
