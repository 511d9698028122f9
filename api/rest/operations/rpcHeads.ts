import { createPublicClient, type PublicClient } from 'viem'
import { createHttpTransport } from '../../../services/chain/httpTransport.ts'
import { createRpcEndpoints } from '../../../services/chain/rpcPool/rpcEndpoint.ts'
import { findLowerMedian } from '../../../services/chain/transactions/medianAndMajority.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { type Repeated, repeat } from '../../../services/process/repeat.ts'
import { createStallWatch, type Head } from './stallWatch.ts'

/** A chain's head, as its nodes last agreed on it. */
export type RpcHead = {
  /** Null until a node has answered. */
  blockNumber: number | null
  /** Unix seconds of the head block. */
  timestamp: number | null
  /** Whether the latest request was answered. */
  reachable: boolean
  /** Whether it has been the same for far longer than usual: the chain stands still, or all its nodes. */
  stalled: boolean
}

/** One of a chain's nodes. */
type RpcNode = {
  chain: string
  /** Host and position in `rpcUrls`. */
  node: string
  /** Its head block; 0 while it doesn't answer, null until it was asked. */
  head: number | null
}

export type RpcHeads = { of(chainId: number): RpcHead; nodes(): readonly RpcNode[]; stop(): void }

const NEVER: RpcHead = { blockNumber: null, timestamp: null, reachable: false, stalled: false }

/**
 * Polls each chain's nodes for the head, so that `/health` answers from memory and no hanging node delays it.
 */
export function watchRpcHeads(
  chains: readonly ChainConfig[],
  everyMs = 2_000,
  now = () => performance.now(),
): RpcHeads {
  const heads = new Map<number, RpcHead>()
  const nodes = chains.map((chain) =>
    createRpcEndpoints(chain).map(
      ({ name: node }): RpcNode => ({ chain: chain.name, node, head: null }),
    ),
  )
  const watching = chains.map((chain, at) =>
    watchChain(chain, everyMs, { heads, nodes: nodes[at] ?? [] }, now),
  )
  return {
    of: (chainId) => heads.get(chainId) ?? NEVER,
    nodes: () => nodes.flat(),
    stop: () => {
      for (const one of watching) void one.stop()
    },
  }
}

function watchChain(
  chain: ChainConfig,
  everyMs: number,
  { heads, nodes }: { heads: Map<number, RpcHead>; nodes: readonly RpcNode[] },
  now: () => number,
): Repeated {
  const clients = chain.rpcUrls.map((url) =>
    createPublicClient({ transport: createHttpTransport(url, { timeout: 3_000, retryCount: 0 }) }),
  )
  const hasStalled = createStallWatch((block) => readTime(clients, block), now)
  const poll = async () => {
    const head = await agreedHead(clients, nodes)
    const known = heads.get(chain.chainId) ?? NEVER
    const stalled = head ? await hasStalled(head) : known.stalled
    heads.set(chain.chainId, { ...known, ...head, reachable: head !== null, stalled })
  }
  // `poll` never rejects.
  return repeat(everyMs, () => {}, poll)
}

/** A block's time, in unix seconds, as the first node that answers gives it; null if none does. */
async function readTime(clients: readonly PublicClient[], block: number): Promise<number | null> {
  const asking = clients.map((client) => client.getBlock({ blockNumber: BigInt(block) }))
  return Promise.any(asking).then(
    ({ timestamp }) => Number(timestamp),
    () => null,
  )
}

/**
 * The head that most nodes have reached: one that lags or invents blocks moves it by little. Null if none answers.
 *
 * @param nodes get each one's head
 */
async function agreedHead(
  clients: readonly PublicClient[],
  nodes: readonly RpcNode[],
): Promise<Head | null> {
  const answers = await Promise.all(
    clients.map((client) => client.getBlock({ blockTag: 'latest' }).catch(() => null)),
  )
  for (const [at, node] of nodes.entries()) node.head = Number(answers[at]?.number ?? 0)
  const blocks = answers.filter((block) => block !== null)
  if (blocks.length === 0) return null
  return {
    blockNumber: Number(findLowerMedian(blocks.map(({ number }) => number))),
    timestamp: Number(findLowerMedian(blocks.map(({ timestamp }) => timestamp))),
  }
}
