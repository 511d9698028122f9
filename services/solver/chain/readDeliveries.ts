import type { Hex } from 'viem'
import { packIntentId } from '../../../core/intent/intentId.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { MULTICALL_BYTES } from '../../chain/chainClient.ts'
import type { SolverChain } from './solverChain.ts'

/** The ids of the deliveries with these keys at a block; 0 for none. */
export async function readDeliveries(
  { client, bridge, chainId }: SolverChain,
  keys: readonly Hex[],
  blockNumber: bigint,
): Promise<readonly bigint[]> {
  if (keys.length === 0) return []
  const deliveries = await client.multicall({
    allowFailure: false,
    blockNumber,
    batchSize: MULTICALL_BYTES,
    contracts: keys.map((key) => {
      const functionName = 'deliveryAt' as const
      return { address: bridge, abi: bridgeIntentV2Abi, functionName, args: [key] } as const
    }),
  })
  return deliveries.map(([sequence]) => (sequence === 0n ? 0n : packIntentId(chainId, sequence)))
}
