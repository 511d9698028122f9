import { LRUCache } from 'lru-cache'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { createNodeClients } from './chainClient.ts'
import { findMajority } from './transactions/medianAndMajority.ts'
import { createQueryAllProviders } from './transactions/queryAllProviders.ts'

type Block = { hash: Hex; timestamp: bigint }

/**
 * Reads a block as most of the chain's nodes give it; null if the chain isn't configured, or its nodes don't answer, lack the
 * block or disagree.
 */
export type BlockReader = (chainId: number, blockNumber: number) => Promise<Block | null>

/** Milliseconds for which a block is cached; short, because a reorg replaces it. */
const FRESH_FOR = 1_000
/** Blocks cached. */
const MOST = 100

/** Reads blocks from the chains' nodes, at most once a second for the same block. */
export function createBlockReader(chains: readonly ChainConfig[]): BlockReader {
  const nodes = new Map(
    chains.map((chain) => {
      return [chain.chainId, createQueryAllProviders(createNodeClients(chain, 2_000))]
    }),
  )
  const recent = new LRUCache<string, Promise<Block | null>>({ max: MOST, ttl: FRESH_FOR })
  return (chainId, blockNumber) => {
    const key = `${chainId}:${blockNumber}`
    const known = recent.get(key)
    const queryAll = nodes.get(chainId)
    if (known || !queryAll) return known ?? Promise.resolve(null)
    const asked = queryAll<Block>(
      (client) => client.getBlock({ blockNumber: BigInt(blockNumber) }),
      nameOf,
    )
    const block = asked.then((answers) => findMajority(answers, nameOf)).catch(() => null)
    recent.set(key, block)
    return block
  }
}

function nameOf({ hash, timestamp }: Block): string {
  return `${hash} ${timestamp}`
}
