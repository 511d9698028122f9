import type { Address, Chain, PublicClient, Transport } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { chainClient } from '../../chain/chainClient.ts'
import { rpcEndpoints } from '../../chain/rpcPool/rpcEndpoint.ts'
import { majority } from '../../chain/transactions/agreement.ts'
import { type QueryAll, queryAllOf } from '../../chain/transactions/queryAll.ts'
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
  /** All of them, of which any may lie. */
  queryAll: QueryAll<SolverNode>
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
  const nodes = rpcEndpoints(config).map((endpoint) => ({
    name: endpoint.name,
    operator: config.operators?.[endpoint.url] ?? new URL(endpoint.url).host,
    client: chainClient({ ...config, rpcUrls: [endpoint.url] }, { timeoutMs: TIMEOUT_MS }),
  }))
  const queryAll = queryAllOf<SolverNode>(nodes)
  return {
    ...{ name, chainId, bridge, confirmations, client, nodes, queryAll },
    terms: async () => {
      terms ??= agreedTerms(
        await queryAll(
          (node) => readTerms(node.client, bridge),
          (said) => JSON.stringify(said),
        ),
      )
      return terms
    },
    blockSeconds: async (head) => {
      if (pace === null || performance.now() - pace.at > PACE_AGE_MS)
        pace = { seconds: await blockSecondsOf(client, head), at: performance.now() }
      return pace.seconds
    },
  }
}

/** Nodes tell different windows or registries of one bridge. Its message is for the operator. */
class BridgeDisputedError extends Error {
  override readonly name = 'BridgeDisputedError'
  readonly code = 'TERMS_DISPUTED'
}

/** What most nodes say: by false windows we would deliver too late, by a false registry to a thief. */
function agreedTerms(said: readonly BridgeTerms[]): BridgeTerms {
  const terms = majority(said, (one) => JSON.stringify(one))
  if (terms !== null) return terms
  throw new BridgeDisputedError(
    'nodes disagree about the bridge’s windows or registry: compare them with another node',
  )
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
