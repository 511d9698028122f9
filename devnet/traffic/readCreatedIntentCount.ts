import { unpackIntentId } from '../../core/intent/intentId.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { TrafficChain } from './trafficChainClient.ts'

export async function readCreatedIntentCount({ client, contracts }: TrafficChain): Promise<number> {
  const id = await client.readContract({
    address: contracts.bridge,
    abi: bridgeIntentV2Abi,
    functionName: 'getLatestIntentId',
  })
  return id === 0n ? 0 : Number(unpackIntentId(id).sequence)
}
