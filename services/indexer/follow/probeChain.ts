import { createPublicClient, type Hash, type PublicClient } from 'viem'
import { createHttpTransport } from '../../chain/httpTransport.ts'
import { findLowerMedian } from '../../chain/transactions/medianAndMajority.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'

const TIMEOUT_MS = 4_000

/** All endpoints that answer serve a chain other than the configured one. */
export class WrongChainError extends Error {
  override name = 'WrongChainError'
}

/** A chain according to its reachable endpoints at one moment. */
export type ChainView = {
  /** The block that most of them have reached; of two, both: an index waits for this one, and a single node may invent it. */
  head: number
  /** The highest head of any. */
  highestHead: number
  /**
   * Whether all configured endpoints answer and are development nodes: there the one node is right, and resets are
   * normal.
   */
  isDevelopment: boolean
  /** Endpoints that serve another chain, described; they aren't used. */
  strangers: string[]
  /** Reads from each endpoint that serves this chain, the preferred one first. */
  clients: readonly PublicClient[]
  /**
   * A block's hash from each configured endpoint; null from one that doesn't answer, doesn't have the block or serves
   * another chain.
   */
  hashesAt(blockNumber: number): Promise<(Hash | null)[]>
}

/**
 * Reads every endpoint's chain id and head.
 *
 * @throws when none answers; WrongChainError when all that answer serve another chain
 */
export async function probeChain(chain: ChainConfig): Promise<ChainView> {
  const clients = chain.rpcUrls.map((url) =>
    createPublicClient({
      transport: createHttpTransport(url, { timeout: TIMEOUT_MS, retryCount: 0 }),
    }),
  )
  const answers = await Promise.allSettled(clients.map((client) => ask(client)))
  const found = answers.flatMap((answer, position) =>
    answer.status === 'fulfilled' ? [{ ...answer.value, position }] : [],
  )
  if (found.length === 0) throw new Error(unreachable(chain, answers))
  const own = found.filter(({ chainId }) => chainId === chain.chainId)
  const strangers = found
    .filter(({ chainId }) => chainId !== chain.chainId)
    .map(({ chainId, position }) => strange(chain, position, chainId))
  if (own.length === 0) throw new WrongChainError(strangers.join('; '))
  const asked = clients.map((client, at) =>
    own.some(({ position }) => position === at) ? client : null,
  )
  return {
    head: findLowerMedian(own.map(({ head }) => head)),
    highestHead: Math.max(...own.map(({ head }) => head)),
    isDevelopment:
      own.length === clients.length &&
      own.every(({ version }) => /^(anvil|hardhat)/i.test(version)),
    strangers,
    clients: asked.filter((client) => client !== null),
    hashesAt: (blockNumber) => Promise.all(asked.map((client) => hashAt(client, blockNumber))),
  }
}

async function ask(client: PublicClient) {
  const [chainId, head, version] = await Promise.all([
    client.getChainId(),
    client.getBlockNumber({ cacheTime: 0 }),
    client.request({ method: 'web3_clientVersion' }).catch(() => ''),
  ])
  return { chainId, head: Number(head), version }
}

function unreachable(chain: ChainConfig, answers: PromiseSettledResult<unknown>[]): string {
  // Hosts only: the rest of a URL may hold an access key.
  const hosts = chain.rpcUrls.map((url) => new URL(url).host).join(', ')
  const first = answers.find((answer) => answer.status === 'rejected')?.reason
  return `no endpoint of ${chain.name} answers (${hosts}): ${first?.shortMessage ?? first?.message ?? first}`
}

function strange(chain: ChainConfig, position: number, chainId: number): string {
  const { host } = new URL(chain.rpcUrls[position]!)
  return `an endpoint of ${chain.name} (${host}) serves chain ${chainId}, not ${chain.chainId}`
}

async function hashAt(client: PublicClient | null, blockNumber: number): Promise<Hash | null> {
  if (client === null) return null
  return client.getBlock({ blockNumber: BigInt(blockNumber) }).then(
    ({ hash }) => hash,
    () => null,
  )
}
