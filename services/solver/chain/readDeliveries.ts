import type { Address } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { SeenIntent } from '../plan/snapshot.ts'
import { BATCH_BYTES } from './readSource.ts'
import type { SolverChain } from './solverChain.ts'

/** Ids of our deliveries of these intents on their destination chain at a block, 0 where there is none. */
export async function readDeliveries(
  { client, bridge }: SolverChain,
  account: Address,
  intents: readonly SeenIntent[],
  blockNumber: bigint,
): Promise<readonly bigint[]> {
  if (intents.length === 0) return []
  return client.multicall({
    allowFailure: false,
    blockNumber,
    batchSize: BATCH_BYTES,
    contracts: intents.map(({ sourceChainId, intentId }) => {
      const args = [BigInt(sourceChainId), intentId, account] as const
      const functionName = 'deliveryOf' as const
      return { address: bridge, abi: bridgeIntentV2Abi, functionName, args } as const
    }),
  })
}
