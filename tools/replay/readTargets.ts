import { readDevnetFile } from '../../devnet/devnetFile.ts'
import type { BridgeOnChain } from '../../services/chain/history/fetchEvents.ts'
import type { ChainConfig } from '../../services/config/chainConfig.ts'
import { ConfigurationError } from '../../services/config/configurationError.ts'
import { readChainsFile } from '../../services/config/readChainsFile.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { ToolError } from '../commandLine.ts'
import type { ReplayOptions } from './parseOptions.ts'

/** A bridge to replay. */
export type ReplayChain = BridgeOnChain & Partial<Pick<ChainConfig, 'confirmations' | 'tokens'>>

export type ReplayTargets = { chains: ReplayChain[]; databaseUrl: string | null }

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads what to replay: the chains in the file that `CHAINS` names, or the devnet's in `.cairn`.
 *
 * @throws ConfigurationError; ToolError for an unknown chain, or without a devnet
 */
export function readTargets(
  env: Environment,
  { chains: requested, asOfChain }: Pick<ReplayOptions, 'chains' | 'asOfChain'>,
): ReplayTargets {
  const all = env.CHAINS ? readConfigured(env.CHAINS, env) : readDevnet(env)
  const names = all.chains.map(({ name }) => name)
  requireConfigured('--chain', requested, names)
  requireConfigured('--as-of', [...asOfChain.keys()], names)
  const kept = all.chains.filter(({ name }) => requested.length === 0 || requested.includes(name))
  const leftOut = [...asOfChain.keys()].find((name) => !kept.some((chain) => chain.name === name))
  if (leftOut !== undefined) throw new ToolError(`--as-of names ${leftOut}, which --chain excludes`)
  const chains = kept.map(({ vault, ...chain }) => ({
    ...chain,
    bridge: chain.bridge.toLowerCase() as Hex,
    ...(vault && { vault: vault.toLowerCase() as Hex }),
  }))
  return { ...all, chains }
}

function requireConfigured(
  option: string,
  requested: readonly string[],
  names: readonly string[],
): void {
  const unknown = requested.filter((name) => !names.includes(name))
  if (unknown.length === 0) return
  throw new ToolError(
    `${option}: no chain called ${unknown.join(', ')} is configured. There are ${names.join(', ')}`,
  )
}

function readConfigured(path: string, env: Environment): ReplayTargets {
  const problems: string[] = []
  const chains = readChainsFile(path, problems)
  if (problems.length > 0) throw new ConfigurationError(problems)
  return { chains, databaseUrl: env.DATABASE_URL || null }
}

function readDevnet(env: Environment): ReplayTargets {
  try {
    const file = readDevnetFile(env.CAIRN_DIRECTORY || '.cairn')
    // The file lacks the tokens' decimals: read decimals and symbols from the contracts.
    const chains = file.chains.map(({ rpc, tokens: _, ...chain }) => ({ ...chain, rpcUrls: [rpc] }))
    return { chains, databaseUrl: env.DATABASE_URL || file.databaseUrl }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ToolError(`CHAINS is not set, and ${reason}`)
  }
}
