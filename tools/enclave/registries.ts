import type { ChainConfig } from '../../services/config/chainConfig.ts'
import { readChainsFile } from '../../services/config/readChainsFile.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { ToolError } from '../commandLine.ts'

export type Registry = ChainConfig & { registry: Hex }

/** The chains of a file that have a registry. */
export function readRegistries(path: string): Registry[] {
  return readChains(path).flatMap((chain) =>
    chain.registry === undefined
      ? []
      : [{ ...chain, registry: chain.registry.toLowerCase() as Hex }],
  )
}

/** @throws ToolError if the file doesn't have the chain, or is invalid */
export function readChain(path: string, chainId: number): ChainConfig {
  const found = readChains(path).find((one) => one.chainId === chainId)
  if (found === undefined) throw new ToolError(`no chain ${chainId} is configured`)
  return found
}

function readChains(path: string): ChainConfig[] {
  const problems: string[] = []
  const chains = readChainsFile(path, problems)
  if (problems.length > 0) throw new ToolError(problems.join('\n'))
  return chains
}

/** @throws ToolError if the chain has none */
export function findRegistry(registries: readonly Registry[], chainId: number): Registry {
  const found = registries.find((one) => one.chainId === chainId)
  if (found === undefined) throw new ToolError(`no registry of chain ${chainId} is configured`)
  return found
}
