import type { ChainConfig } from '../config/chains.ts'
import { chainClient } from './chainClient.ts'

/** Hash of a chain's block; null if the chain isn't configured, or its nodes don't answer or lack the block. */
export type BlockHashes = (chainId: number, blockNumber: number) => Promise<string | null>

/** Milliseconds for which an answer is cached; short, since a reorg changes it. */
const FRESH_FOR = 1_000

type Asked = { blockNumber: number; at: number; hash: Promise<string | null> }

/** Asks the chains' nodes for hashes of blocks, once a second at most for the same block. */
export function blockHashes(chains: readonly ChainConfig[]): BlockHashes {
  const clients = new Map(
    chains.map((chain) => [chain.chainId, chainClient(chain, { timeoutMs: 2_000 })]),
  )
  const latest = new Map<number, Asked>()
  return (chainId, blockNumber) => {
    const known = latest.get(chainId)
    const now = performance.now()
    if (known?.blockNumber === blockNumber && now - known.at < FRESH_FOR) return known.hash
    const client = clients.get(chainId)
    if (!client) return Promise.resolve(null)
    const hash = client.getBlock({ blockNumber: BigInt(blockNumber) }).then(
      (block) => block.hash,
      () => null,
    )
    latest.set(chainId, { blockNumber, at: now, hash })
    return hash
  }
}
