import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ChainConfig } from '../../services/config/chainConfig.ts'
import type { ChainStatus } from '../../services/indexer/chainSupervision.ts'
import { FAST_START_OPTIONS } from '../rig/fastStartOptions.ts'

const PROGRAM = fileURLToPath(new URL('./indexerProcess.ts', import.meta.url))
/** Milliseconds between an indexer's exit and its restart. */
const PAUSE_MS = 200
/** Log lines kept for the report of a failed simulation. */
const LINES = 400

/** An indexer that is restarted whenever it exits, as an operator's service manager would do. */
export type SupervisedIndexer = {
  statuses(): ChainStatus[]
  /** `kill -9` the indexer; its Ponders exit with it. */
  kill(): void
  /** `kill -9` one chain's Ponder. @returns whether there was one */
  killPonder(chainId: number): boolean
  /** The latest log lines. */
  lastLines(): string[]
  /** Shuts it down gracefully. */
  stop(): Promise<void>
}

export function superviseIndexer(databaseUrl: string, chains: ChainConfig[]): SupervisedIndexer {
  const known = new Map<number, ChainStatus>()
  const lines: string[] = []
  let stopping = false
  let child: ChildProcess
  let ended: Promise<unknown>
  const start = () => {
    known.clear()
    child = fork(PROGRAM, [databaseUrl, JSON.stringify(chains)], {
      silent: true,
      execArgv: FAST_START_OPTIONS,
      env: { ...process.env, LOG_LEVEL: 'debug' },
    })
    child.on('message', (status: ChainStatus) => known.set(status.chainId, status))
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text) => {
        lines.push(...String(text).trimEnd().split('\n'))
        lines.splice(0, lines.length - LINES)
      })
    }
    ended = new Promise((resolve) => child.once('exit', resolve))
    ended.then(() => {
      if (!stopping) setTimeout(() => !stopping && start(), PAUSE_MS)
    })
  }
  start()
  return {
    statuses: () => [...known.values()],
    kill: () => void child.kill('SIGKILL'),
    killPonder(chainId) {
      const pid = known.get(chainId)?.pid
      return pid ? killed(pid) : false
    },
    lastLines: () => [...lines],
    async stop() {
      stopping = true
      const force = setTimeout(() => child.kill('SIGKILL'), 15_000)
      if (child.connected) child.send('stop', () => {})
      else child.kill('SIGKILL')
      await ended
      clearTimeout(force)
    },
  }
}

function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
