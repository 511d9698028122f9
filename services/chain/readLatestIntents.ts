import type { ContractFunctionReturnType, PublicClient } from 'viem'
import { packIntentId, unpackIntentId } from '../../core/intent/intentId.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { MULTICALL_BYTES } from './chainClient.ts'

/** How many of a bridge's intents are read, newest first. */
const LATEST = 2_000n

type IntentOnChain = ContractFunctionReturnType<typeof bridgeIntentV2Abi, 'view', 'getIntent'>

type Bridge = Pick<ChainConfig, 'chainId' | 'bridge'>
type Client = Pick<PublicClient, 'readContract' | 'multicall'>

/** A bridge's latest 2,000 intents, as the chain has them. @throws if the chain doesn't answer, or the address has no bridge */
export async function readLatestIntents(
  client: Client,
  bridge: Bridge,
): Promise<(IntentOnChain & { intentId: bigint })[]> {
  const { value } = await readIntentPages(client, bridge).next()
  return value ?? []
}

/** All of a bridge's intents, as the chain has them, the latest first. @throws like `readLatestIntents` */
export async function* readIntentPages(
  client: Client,
  { chainId, bridge }: Bridge,
  page = LATEST,
): AsyncGenerator<(IntentOnChain & { intentId: bigint })[]> {
  const contract = { address: bridge, abi: bridgeIntentV2Abi } as const
  const latestId = await client.readContract({ ...contract, functionName: 'getLatestIntentId' })
  if (latestId === 0n) return
  for (let { sequence: last } = unpackIntentId(latestId); last > 0n; last -= page) {
    const ids = Array.from({ length: Number(last < page ? last : page) }, (_, at) =>
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
    yield intents.map((intent, at) => ({ ...intent, intentId: ids[at] as bigint }))
  }
}
