import { LRUCache } from 'lru-cache'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { createChainClients } from './chainClient.ts'

type Block = { hash: Hex; timestamp: bigint }

/** Reads a block; null if the chain isn't configured, or its nodes don't answer or lack the block. */
export type BlockReader = (chainId: number, blockNumber: number) => Promise<Block | null>

/** Milliseconds for which a block is cached; short, because a reorg replaces it. */
const FRESH_FOR = 1_000
/** Blocks cached. */
const MOST = 100

/** Reads blocks from the chains' nodes, at most once a second for the same block. */
export function createBlockReader(chains: readonly ChainConfig[]): BlockReader {
  const clients = createChainClients(chains, 2_000)
  const recent = new LRUCache<string, Promise<Block | null>>({ max: MOST, ttl: FRESH_FOR })
  return (chainId, blockNumber) => {
    const key = `${chainId}:${blockNumber}`
    const known = recent.get(key)
    const client = clients.get(chainId)
    if (known || !client) return known ?? Promise.resolve(null)
    const block = client.getBlock({ blockNumber: BigInt(blockNumber) }).catch(() => null)
    recent.set(key, block)
    return block
  }
}
