import type { Address, Chain, PublicClient, Transport } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { createChainClient } from '../../chain/chainClient.ts'
import { createRpcEndpoints } from '../../chain/rpcPool/rpcEndpoint.ts'
import type { SeenHead } from '../../chain/transactions/chainNodes.ts'
import { findMajority } from '../../chain/transactions/medianAndMajority.ts'
import {
  createPriorityFeeReader,
  type PriorityFees,
} from '../../chain/transactions/priorityFees.ts'
import {
  createQueryAllProviders,
  type QueryAllProviders,
} from '../../chain/transactions/queryAllProviders.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { findGasPriceCap } from '../../config/findGasPriceCap.ts'
import type { IntentSnapshot } from '../plan/solverSnapshot.ts'
import { SolverError } from '../solverError.ts'
import { type BlockTimes, measureBlockTimes } from './measureBlockTimes.ts'
import type { Tip } from './noteTip.ts'
import { readAgreedAnswer } from './readAgreedAnswer.ts'
import type { Funds } from './readFunds.ts'

/** A bridge's immutable settings. */
type BridgeTerms = {
  /** Length of each of the two pickup windows, in seconds. */
  pickupWindow: number
  /** Seconds from a deposit to the deadline of its delivery. */
  executionWindow: number
  /** Tells which enclave signatures count. */
  registry: Address
}

/** The solver's funds on a chain and the intents there, at one block. */
export type ChainState = { funds: Funds; intents: IntentSnapshot[] }

export type SolverNode = {
  /** Without credentials. */
  name: string
  /** Who runs it. */
  operator: string
  client: PublicClient<Transport, Chain>
}

export type SolverChain = {
  name: string
  chainId: number
  bridge: Address
  /** Blocks on top before we rely on something. */
  confirmations: number
  /** Most wei per gas that we pay. */
  gasPriceCap: bigint
  /** Uses the first node that answers. */
  client: PublicClient<Transport, Chain>
  nodes: readonly SolverNode[]
  /** Queries all nodes, of which any may lie. */
  queryAll: QueryAllProviders<SolverNode>
  /** Each node's highest block, updated by `readAgreedBlock`. */
  heads: Map<SolverNode, SeenHead>
  /** Updated by `takeSnapshot`; null before the first. */
  tip: Tip | null
  /** What was last read at a block, and when, by `performance.now()`; updated by `takeSnapshot`. */
  latest: { request: string; readAt: number; state: ChainState } | null
  /** As the account's sender pays, by agreement of all nodes. */
  priorityFees(): Promise<PriorityFees>
  /** Read until most nodes have answered. */
  terms(): Promise<BridgeTerms>
  /** The time between blocks by most nodes, measured every minute. */
  blockTimes(head: { number: bigint; timestamp: bigint }): Promise<BlockTimes>
}

const TIMEOUT_MS = 5_000
const BLOCK_TIMES_MAX_AGE_MS = 60_000

export function createSolverChain(config: ChainConfig): SolverChain {
  const { name, chainId, bridge, confirmations } = config
  const client = createChainClient(config, { timeoutMs: TIMEOUT_MS })
  let terms: BridgeTerms | null = null
  let measured: { times: BlockTimes; at: number } | null = null
  const nodes = createRpcEndpoints(config).map((endpoint) => ({
    name: endpoint.name,
    operator: endpoint.operator,
    client: createChainClient({ ...config, rpcUrls: [endpoint.url] }, { timeoutMs: TIMEOUT_MS }),
  }))
  const queryAll = createQueryAllProviders<SolverNode>(nodes)
  const chain: SolverChain = {
    name,
    chainId,
    bridge,
    confirmations,
    gasPriceCap: findGasPriceCap(config),
    client,
    nodes,
    queryAll,
    heads: new Map(),
    tip: null,
    latest: null,
    priorityFees: createPriorityFeeReader(nodes.map((node) => node.client)),
    terms: async () => {
      if (terms !== null) return terms
      const answers = await queryAll((node) => readTerms(node.client, bridge), JSON.stringify)
      const agreed = agreedTerms(answers)
      // While others don't answer, a single node's word isn't kept.
      if (2 * answers.length > nodes.length) terms = agreed
      return agreed
    },
    blockTimes: async (head) => {
      if (measured === null || performance.now() - measured.at > BLOCK_TIMES_MAX_AGE_MS) {
        const times = await readAgreedAnswer(chain, (at) => measureBlockTimes(at, head))
        measured = { times, at: performance.now() }
      }
      return measured.times
    },
  }
  return chain
}

/** The majority's: with false windows we would deliver too late, with a false registry to a thief. */
function agreedTerms(answers: readonly BridgeTerms[]): BridgeTerms {
  const terms = findMajority(answers, JSON.stringify)
  if (terms !== null) return terms
  throw new SolverError(
    'TERMS_DISPUTED',
    'nodes disagree about the bridge’s windows or registry: check with another node',
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
