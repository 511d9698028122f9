import type { Address, Chain, PublicClient, Transport } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { chainClient } from '../../chain/chainClient.ts'
import { rpcEndpoints } from '../../chain/rpcPool/rpcEndpoint.ts'
import type { ChainConfig } from '../../config/chains.ts'
import { blockSecondsOf } from './blockSecondsOf.ts'

/** What never changes about a bridge. */
type BridgeTerms = {
  /** Seconds of each of the two pickup windows. */
  pickupWindow: number
  /** Seconds from a deposit to the deadline of its delivery. */
  executionWindow: number
  /** Knows whose signatures count. */
  registry: Address
}

/** One of a chain's nodes, asked alone. */
export type SolverNode = {
  /** Safe to print. */
  name: string
  /** Who runs it. */
  operator: string
  client: PublicClient<Transport, Chain>
}

/** One chain as a solver works with it. */
export type SolverChain = {
  name: string
  chainId: number
  bridge: Address
  /** Blocks on top before we act. */
  confirmations: number
  /** The first node that answers. */
  client: PublicClient<Transport, Chain>
  nodes: readonly SolverNode[]
  /** Asked for once. */
  terms(): Promise<BridgeTerms>
  /** Seconds between blocks; asked for every minute. */
  blockSeconds(head: { number: bigint; timestamp: bigint }): Promise<number>
}

const TIMEOUT_MS = 5_000
const PACE_AGE_MS = 60_000

export function solverChain(config: ChainConfig): SolverChain {
  const { name, chainId, bridge, confirmations } = config
  const client = chainClient(config, { timeoutMs: TIMEOUT_MS })
  let terms: BridgeTerms | null = null
  let pace: { seconds: number; at: number } | null = null
  return {
    ...{ name, chainId, bridge, confirmations, client },
    nodes: rpcEndpoints(config).map((endpoint) => ({
      name: endpoint.name,
      operator: config.operators?.[endpoint.url] ?? new URL(endpoint.url).host,
      client: chainClient({ ...config, rpcUrls: [endpoint.url] }, { timeoutMs: TIMEOUT_MS }),
    })),
    terms: async () => {
      terms ??= await readTerms(client, bridge)
      return terms
    },
    blockSeconds: async (head) => {
      if (pace === null || performance.now() - pace.at > PACE_AGE_MS)
        pace = { seconds: await blockSecondsOf(client, head), at: performance.now() }
      return pace.seconds
    },
  }
}

async function readTerms(client: SolverChain['client'], bridge: Address): Promise<BridgeTerms> {
  const contract = { address: bridge, abi: bridgeIntentV2Abi } as const
  const [pickupWindow, executionWindow, registry] = await Promise.all([
    client.readContract({ ...contract, functionName: 'PICKUP_WINDOW' }),
    client.readContract({ ...contract, functionName: 'EXECUTION_WINDOW' }),
    client.readContract({ ...contract, functionName: 'REGISTRY' }),
  ])
  return { pickupWindow, executionWindow, registry }
}
