import { findChainId, findChainName } from '../../core/chain/chainNames.ts'
import { type ChainConfig, chainsFileSchema } from './chainConfig.ts'
import { describeZodError } from './describeZodError.ts'
import { parseJsonFile } from './parseJsonFile.ts'

/**
 * Reads the chains file and adds all problems to `problems`, worded for the operator. Replaces aliases of chain names
 * with canonical names.
 */
export function readChainsFile(path: string, problems: string[]): ChainConfig[] {
  const found = parseJsonFile('CHAINS', path, problems)
  if (found === undefined) return []
  const parsed = chainsFileSchema.safeParse(found)
  if (!parsed.success) {
    problems.push(
      ...describeZodError(parsed.error).map((problem) => `CHAINS (${path}): ${problem}`),
    )
    return []
  }
  const { chains } = parsed.data
  problems.push(...inconsistencies(chains).map((problem) => `CHAINS (${path}): ${problem}`))
  return chains.map((chain) => ({ ...chain, name: findChainName(chain.chainId) ?? chain.name }))
}

/** Problems across fields: ids, names and nodes that repeat, or contradict the known ones. */
function inconsistencies(chains: ChainConfig[]): string[] {
  return chains.flatMap(({ name, chainId, rpcUrls }, position) => {
    const earlier = chains.slice(0, position)
    const found: string[] = []
    if (earlier.some((other) => other.chainId === chainId))
      found.push(`chains[${position}].chainId: ${chainId} appears twice`)
    if (earlier.some((other) => other.name === name))
      found.push(`chains[${position}].name: ${name} appears twice`)
    for (const [at, url] of rpcUrls.entries()) {
      const first = rpcUrls.findIndex((other) => nodeOf(other) === nodeOf(url))
      if (first < at)
        found.push(
          `chains[${position}].rpcUrls[${at}]: the same node as rpcUrls[${first}], which would count twice`,
        )
    }
    const knownId = findChainId(name)
    const knownName = findChainName(chainId)
    if (knownId !== null && knownId !== chainId)
      found.push(`chains[${position}].chainId: ${name} has id ${knownId}, not ${chainId}`)
    else if (knownName !== null && knownId === null)
      found.push(`chains[${position}].name: chain ${chainId} is called ${knownName}, not ${name}`)
    return found
  })
}

/** Identifies a node: URLs that differ only in protocol, case of the host or a slash at the end are the same node. */
function nodeOf(url: string): string {
  const { host, pathname, search } = new URL(url)
  return `${host}${pathname.replace(/\/+$/, '')}${search}`
}
