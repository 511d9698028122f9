import type { ChainConfig } from '../config/chainConfig.ts'
import { createChainClients } from './chainClient.ts'

/** Reads a block's hash; null if the chain isn't configured, or its nodes don't answer or lack the block. */
export type BlockHashReader = (chainId: number, blockNumber: number) => Promise<string | null>

/** Milliseconds for which a hash is cached; short, because a reorg changes it. */
const FRESH_FOR = 1_000

type CachedHash = { blockNumber: number; readAt: number; hash: Promise<string | null> }

/** Reads block hashes from the chains' nodes, at most once a second for the same block. */
export function createBlockHashReader(chains: readonly ChainConfig[]): BlockHashReader {
  const clients = createChainClients(chains, 2_000)
  const latest = new Map<number, CachedHash>()
  return (chainId, blockNumber) => {
    const known = latest.get(chainId)
    const now = performance.now()
    if (known?.blockNumber === blockNumber && now - known.readAt < FRESH_FOR) return known.hash
    const client = clients.get(chainId)
    if (!client) return Promise.resolve(null)
    const hash = client.getBlock({ blockNumber: BigInt(blockNumber) }).then(
      (block) => block.hash,
      () => null,
    )
    latest.set(chainId, { blockNumber, readAt: now, hash })
    return hash
  }
}
