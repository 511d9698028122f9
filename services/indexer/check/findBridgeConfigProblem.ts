import {
  type AbiItem,
  isAddressEqual,
  keccak256,
  type PublicClient,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { ifFromOtherContract } from '../../chain/ifFromOtherContract.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { ChainView } from '../follow/probeChain.ts'

type Configured = Pick<ChainConfig, 'name' | 'chainId' | 'bridge' | 'bridgeCodeHash' | 'registry'>

/** The registry of this version, by its EIP-712 domain. */
const REGISTRY = { name: 'EnclaveKeyRegistry', version: '1' }

/**
 * What is wrong with a chain's configured bridge, and what to do; null when an endpoint shows that it is right. An
 * index of a wrong address would look live, and stay empty.
 *
 * @throws when no endpoint answers
 */
export async function findBridgeConfigProblem(
  { clients }: Pick<ChainView, 'clients'>,
  chain: Configured,
): Promise<string | null> {
  const answers = await Promise.allSettled(clients.map((client) => problemAt(client, chain)))
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  if (found.length === 0) throw (answers[0] as PromiseRejectedResult).reason
  // A lagging node may not have the contract yet, so one node that has it is enough.
  return found.includes(null) ? null : (found[0] ?? null)
}

async function problemAt(client: PublicClient, chain: Configured): Promise<string | null> {
  const { name, bridge, bridgeCodeHash } = chain
  const where = `${bridge} on ${name}`
  const code = (await client.getCode({ address: bridge })) ?? '0x'
  if (code === '0x') return `no contract is at ${where}: ${ADVICE}`
  if (bridgeCodeHash !== undefined && keccak256(code) !== bridgeCodeHash)
    return `the code at ${where} has the hash ${keccak256(code)}, not the configured bridgeCodeHash: ${ADVICE}`
  const unknown = unknownTo(code)
  if (unknown !== null)
    return `the contract at ${where} isn’t the version of BridgeIntentV2 that this program reads (it has no ${unknown}): ${ADVICE}`
  return identityProblem(client, chain).catch(ifFromOtherContract(OTHER_CONTRACT))
}

const ADVICE = 'correct `bridge` in the chain’s entry of the chains file'

/**
 * A function or event missing from the code; null when all are there. Compiled code contains each selector, to compare
 * calls with, and each event's topic.
 */
function unknownTo(code: Hex): string | null {
  for (const item of bridgeIntentV2Abi as readonly AbiItem[]) {
    if (
      item.type === 'function' &&
      !code.includes(
        toFunctionSelector(item)
          .slice(2)
          .replace(/^(00)+/, ''),
      )
    )
      return `${item.name}()`
    if (item.type !== 'event' || item.name === AT_CREATION) continue
    if (!code.includes(toEventSelector(item).slice(2))) return `event ${item.name}`
  }
  return null
}

/** Only the constructor emits it, and deployed code doesn't contain the constructor. */
const AT_CREATION = 'BridgeDeployed'

/** Whether its intents belong to this chain, and its registry is a known one. */
async function identityProblem(client: PublicClient, chain: Configured): Promise<string | null> {
  const { name, chainId, bridge } = chain
  const read = { address: bridge, abi: bridgeIntentV2Abi } as const
  const [latest, registry] = await Promise.all([
    client.readContract({ ...read, functionName: 'getLatestIntentId' }),
    client.readContract({ ...read, functionName: 'REGISTRY' }),
  ])
  if (latest !== 0n && latest >> 64n !== BigInt(chainId))
    return `the bridge at ${bridge} counts intents of chain ${latest >> 64n}, but ${name} is ${chainId}: ${ADVICE}`
  if (chain.registry !== undefined && !isAddressEqual(registry, chain.registry))
    return `the bridge at ${bridge} on ${name} uses the registry ${registry}, but the chains file names ${chain.registry}: correct \`bridge\` or \`registry\``
  const [, registryName, version, registryChain] = await client.readContract({
    address: registry,
    abi: enclaveKeyRegistryAbi,
    functionName: 'eip712Domain',
  })
  const isKnown =
    registryName === REGISTRY.name &&
    version === REGISTRY.version &&
    registryChain === BigInt(chainId)
  if (isKnown) return null
  return `the registry ${registry} of the bridge on ${name} is ${registryName} ${version} of chain ${registryChain}, not ${REGISTRY.name} ${REGISTRY.version} of chain ${chainId}: ${ADVICE}`
}

const OTHER_CONTRACT = `the configured bridge, or its registry, doesn’t behave like one: ${ADVICE}`
