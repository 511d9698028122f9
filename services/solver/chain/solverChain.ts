import type { Address, Chain, PublicClient, Transport } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { chainClient } from '../../chain/chainClient.ts'
import type { ChainConfig } from '../../config/chains.ts'

/** One chain as a solver works with it. */
export type SolverChain = {
  name: string
  chainId: number
  bridge: Address
  /** Blocks on top of what we act on. */
  confirmations: number
  client: PublicClient<Transport, Chain>
  /** Seconds of each of the two pickup windows; asked for once. */
  pickupWindow(): Promise<number>
}

const TIMEOUT_MS = 5_000

export function solverChain(config: ChainConfig): SolverChain {
  const { name, chainId, bridge, confirmations } = config
  const client = chainClient(config, { timeoutMs: TIMEOUT_MS })
  let known: number | null = null
  return {
    ...{ name, chainId, bridge, confirmations, client },
    pickupWindow: async () => {
      known ??= await client.readContract({
        address: bridge,
        abi: bridgeIntentV2Abi,
        functionName: 'PICKUP_WINDOW',
      })
      return known
    },
  }
}
