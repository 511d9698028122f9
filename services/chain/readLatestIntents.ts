import type { ContractFunctionReturnType, PublicClient } from 'viem'
import { packIntentId, unpackIntentId } from '../../core/intent/intentId.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { MULTICALL_BYTES } from './chainClient.ts'

/** How many of a bridge's intents are read, newest first. */
const LATEST = 2_000n

type IntentOnChain = ContractFunctionReturnType<typeof bridgeIntentV2Abi, 'view', 'getIntent'>

/** A bridge's latest 2,000 intents, as the chain has them. @throws if the chain doesn't answer, or the address has no bridge */
export async function readLatestIntents(
  client: Pick<PublicClient, 'readContract' | 'multicall'>,
  { chainId, bridge }: Pick<ChainConfig, 'chainId' | 'bridge'>,
): Promise<(IntentOnChain & { intentId: bigint })[]> {
  const contract = { address: bridge, abi: bridgeIntentV2Abi } as const
  const latestId = await client.readContract({ ...contract, functionName: 'getLatestIntentId' })
  if (latestId === 0n) return []
  const { sequence: last } = unpackIntentId(latestId)
  const count = last < LATEST ? last : LATEST
  const ids = Array.from({ length: Number(count) }, (_, at) =>
    packIntentId(chainId, last - BigInt(at)),
  )
  const intents = await client.multicall({
    allowFailure: false,
    batchSize: MULTICALL_BYTES,
    // A chain of the relayer's needs no Multicall3.
    deployless: true,
    contracts: ids.map((id) => {
      return { ...contract, functionName: 'getIntent', args: [id] } as const
    }),
  })
  return intents.map((intent, at) => ({ ...intent, intentId: ids[at] as bigint }))
}
