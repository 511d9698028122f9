import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { DEVNET_WINDOWS } from '../../../devnet/bridgeWindows.ts'
import { buildDevnetContracts } from '../../../devnet/deploy/devnetContracts.ts'
import type { DevnetOptions } from '../../../devnet/devnetOptions.ts'
import { type Devnet, startDevnet } from '../../../devnet/startDevnet.ts'
import type { TokenSymbol } from '../../../devnet/tokens.ts'
import {
  createTrafficChainClient,
  type TrafficChain,
} from '../../../devnet/traffic/trafficChainClient.ts'
import { createRelayerClient, type RelayerClient } from '../../../sdk/relayer/relayerClient.ts'
import { removeClusterDirectory } from '../../../services/postgres/clusterDirectory.ts'
import { DEVNET_POLLING } from '../../rig/devnetProcess.ts'
import { until } from '../../rig/until.ts'
import { readCompiledContracts } from '../../run/compiledContracts.ts'

/** The whole system without simulated traffic: the test alone decides who does what. */
export type MoneyTestbed = {
  devnet: Devnet
  directory: string
  chains: readonly [TrafficChain, TrafficChain]
  relayer: RelayerClient
  /** Stops everything and deletes it, except the logs if asked to. */
  stop(options?: { keepLogs?: boolean }): Promise<void>
}

/** The token only the second solver accepts; the first accepts all others. */
export const SECOND_SOLVER_TOKEN: TokenSymbol = 'ZEN'

/**
 * Starts a devnet whose solvers never bid against each other, so that payments and earnings are predictable. Resolves when
 * the relayer knows both chains.
 */
export async function startMoneyTestbed(
  options: Partial<DevnetOptions> = {},
): Promise<MoneyTestbed> {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-money-'))
  chmodSync(directory, 0o755)
  const remove = (keepLogs: boolean) => {
    removeClusterDirectory(join(directory, 'postgres'))
    if (!keepLogs) rmSync(directory, { recursive: true, force: true })
  }
  const devnet = await startDevnet({ directory, traffic: 'off', ...options }).catch((error) => {
    remove(false)
    throw error
  })
  const { windows = DEVNET_WINDOWS } = options
  const contracts = buildDevnetContracts(
    await readCompiledContracts(),
    deriveDevnetAccounts(),
    windows,
  )
  const [first, second] = devnet.chains.map((chain) =>
    createTrafficChainClient(chain, contracts, deriveDevnetAccounts()),
  )
  if (!first || !second) throw new Error('a devnet has two chains')
  const relayer = createRelayerClient({ baseUrl: devnet.file.api, requestTimeoutMs: 30_000 })
  serveOnly(directory, 1, (symbol) => symbol !== SECOND_SOLVER_TOKEN)
  serveOnly(directory, 2, (symbol) => symbol === SECOND_SOLVER_TOKEN)
  await until(
    async () => {
      const page = await relayer.intents({ limit: 1 }).catch(() => null)
      return page?.notIndexedYet.length === 0
    },
    'both chains are indexed',
    DEVNET_POLLING,
  )
  return {
    devnet,
    directory,
    relayer,
    chains: [first, second],
    stop: async ({ keepLogs = false } = {}) => {
      await devnet.stop()
      remove(keepLogs)
    },
  }
}

/** Changes a running solver's policy, as its operator would. */
function serveOnly(directory: string, solver: number, keeps: (symbol: string) => boolean): void {
  const path = join(directory, `solver-${solver}.policy.json`)
  const policy = JSON.parse(readFileSync(path, 'utf8'))
  const kept = (bySymbol: object) =>
    Object.fromEntries(Object.entries(bySymbol).filter(([symbol]) => keeps(symbol)))
  const { prices, stakes } = policy
  writeFileSync(path, JSON.stringify({ ...policy, prices: kept(prices), stakes: kept(stakes) }))
}
