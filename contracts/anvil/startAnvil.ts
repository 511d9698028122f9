import { existsSync } from 'node:fs'
import { findFreePort } from '../../services/process/findFreePort.ts'
import {
  type GuardedEnd,
  type GuardedProcess,
  spawnGuardedProcess,
} from '../../services/process/spawnGuardedProcess.ts'
import { findAnvilBinary } from './findAnvilBinary.ts'
import { createPastStateDirectory, removePastStateDirectory } from './pastStateDirectory.ts'
import { catchUpWithTime, readGenesisTime } from './resumedChainTime.ts'

/** Seconds between saves of a state file. */
const SAVE_INTERVAL_SECONDS = 60

export type StartAnvilOptions = {
  chainId: number
  /** Seconds between blocks; 0 mines each transaction at once. Default 1. */
  blockTime?: number
  /** File that the chain is loaded from if it's there, and saved to at the end and while running. */
  stateFile?: string
  /** TCP port on 127.0.0.1; a free one by default. */
  port?: number
  /** More of anvil's own arguments. */
  extraArguments?: string[]
}

export type RunningAnvil = {
  chainId: number
  /** `http://127.0.0.1:<port>` */
  rpc: string
  /** `ws://127.0.0.1:<port>` */
  ws: string
  port: number
  /** Process id of the node. */
  pid: number
  /** True if the chain goes on from the state file. */
  resumed: boolean
  /** Resolves when the node has ended, for whatever reason. */
  ended: Promise<GuardedEnd>
  /** Ends the node after it has saved its state. */
  stop(): Promise<void>
}

const ATTEMPTS = 5

/**
 * Starts an anvil node. It ends with this process even after `kill -9`, its state saved.
 *
 * @throws with anvil's own words when it can't start; above all when `port` is taken, since going
 *   on against a stranger's chain would be worse than not going on
 */
export async function startAnvil(options: StartAnvilOptions): Promise<RunningAnvil> {
  const resumed = options.stateFile !== undefined && existsSync(options.stateFile)
  const genesis = options.stateFile === undefined ? null : readGenesisTime(options.stateFile)
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await findFreePort())
    const states = createPastStateDirectory()
    const node = await spawnGuardedProcess(
      findAnvilBinary(),
      [...flags(options, port, genesis), '--cache-path', states],
      {
        // Only SIGINT makes anvil save its state before it leaves.
        endSignal: 'SIGINT',
        timeoutMs: 30_000,
      },
    )
    node.ended.then(() => removePastStateDirectory(states))
    // The node itself must say it: an answer on the port might be somebody else's.
    const problem = await node.says(`Listening on 127.0.0.1:${port}`)
    if (problem === null) {
      const chain = running(node, options.chainId, port, resumed)
      if (resumed) await catchUpWithTime(chain.rpc)
      return chain
    }
    const portLost = options.port === undefined && /address (already )?in use/i.test(problem)
    if (!portLost || attempt === ATTEMPTS) {
      throw new Error(`anvil ${options.chainId} did not start on port ${port}:\n${problem}`)
    }
  }
}

function running(
  node: GuardedProcess,
  chainId: number,
  port: number,
  resumed: boolean,
): RunningAnvil {
  return {
    chainId,
    rpc: `http://127.0.0.1:${port}`,
    ws: `ws://127.0.0.1:${port}`,
    port,
    pid: node.pid,
    resumed,
    ended: node.ended,
    stop: async () => {
      await node.end()
    },
  }
}

function flags(options: StartAnvilOptions, port: number, genesis: number | null): string[] {
  const { chainId, blockTime = 1, stateFile, extraArguments = [] } = options
  return [
    ...['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId)],
    ...(blockTime > 0 ? ['--block-time', String(blockTime)] : []),
    ...(stateFile ? ['--state', stateFile, '--state-interval', String(SAVE_INTERVAL_SECONDS)] : []),
    ...(genesis === null ? [] : ['--timestamp', String(genesis)]),
    ...extraArguments,
  ]
}
