import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { findFreePort } from '../../../services/process/findFreePort.ts'
import { spawnGuardedProcess } from '../../../services/process/spawnGuardedProcess.ts'
import { BRIDGE } from '../../../tools/seed/bridgeStatements.ts'
import type { Contender } from './comparedServers.ts'
import { PEER_SCHEMA } from './createPeerTable.ts'
import { VARIANTS, type Variant, variantProgram } from './variants/variants.ts'

export type BenchServer = { port: number; pid: number; stop(): Promise<unknown> }

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Starts a server as its own process and waits until it listens. */
export async function startBenchServer(
  name: Contender['server'],
  databaseUrl: string,
  directory: string,
  flags: readonly string[] = [],
): Promise<BenchServer> {
  const port = await findFreePort()
  const { args, cwd, env } = programOf(name, port, directory)
  const program = await spawnGuardedProcess(
    process.execPath,
    ['--no-warnings', ...flags, ...args],
    {
      ...(cwd !== undefined && { cwd }),
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_ENV: 'production',
        DATABASE_URL: databaseUrl,
        PORT: String(port),
        ...env,
      },
    },
  )
  const deadline = performance.now() + 60_000
  while (!(await listens(port))) {
    if (performance.now() < deadline) continue
    await program.end()
    throw new Error(`${name} did not listen:\n${program.lastLines().join('\n')}`)
  }
  return { port, pid: program.pid, stop: () => program.end() }
}

async function listens(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/`)
    return true
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return false
  }
}

type Program = { args: string[]; cwd?: string; env: Record<string, string> }

function programOf(name: Contender['server'], port: number, directory: string): Program {
  switch (name) {
    case 'bare':
      return { args: [pathOf('./bareServer.ts')], env: {} }
    case 'postgraphile':
      return {
        args: ['server.js'],
        cwd: pathOf('./peers/postgraphile'),
        env: { SCHEMA: PEER_SCHEMA, GRAPHILE_ENV: 'production' },
      }
    case 'ponder':
      return {
        args: [
          ...[pathOf('./peers/ponder/node_modules/ponder/dist/esm/bin/ponder.js')],
          ...['--root', pathOf('./peers/ponder'), '--log-level', 'error'],
          ...['serve', '--hostname', '127.0.0.1', '--schema', PEER_SCHEMA],
        ],
        env: { PONDER_TELEMETRY_DISABLED: 'true' },
      }
    default:
      return cairnProgram(name, port, directory)
  }
}

/** From its name: `cairn`, the variant, and whether caches are off. */
function cairnProgram(name: string, port: number, directory: string): Program {
  const [, ...words] = name.split(', ')
  const variant = words.find((word): word is Variant => word in VARIANTS)
  const { args, env } = variant ? variantProgram(variant) : { args: [], env: {} }
  return {
    args: [...args, pathOf('../../../services/main.ts'), 'api'],
    env: {
      ...cairnVariables(port, directory),
      ...env,
      ...(words.includes('no memory') && { API_MEMORY_MB: '0' }),
    },
  }
}

/** An operator's settings: two chains, and rate limits that no single client's load reaches. */
function cairnVariables(port: number, directory: string): Record<string, string> {
  const chain = (name: string, chainId: number): ChainConfig => ({
    name,
    chainId,
    rpcUrls: ['http://127.0.0.1:9'],
    bridge: BRIDGE,
    startBlock: 0,
    confirmations: 1,
  })
  const chains = join(directory, 'chains.json')
  writeFileSync(
    chains,
    JSON.stringify({
      chains: [chain('base_sepolia', 84_532), chain('horizen_testnet', 2_651_420)],
    }),
  )
  return {
    CHAINS: chains,
    API_PORT: String(port),
    API_READS_PER_SECOND: '1000000',
    API_READS_BURST: '1000000',
  }
}
