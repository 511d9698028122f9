import type { ChainConfig } from '../config/chainConfig.ts'
import type { BlockTimeReader } from '../store/asOf/resolveAsOf.ts'
import { createChainClients } from './chainClient.ts'

/** Reads block times from the chains' nodes. Concurrent reads of the same block share one request. */
export function createBlockTimeReader(chains: readonly ChainConfig[]): BlockTimeReader {
  const clients = createChainClients(chains, 2_000)
  const pending = new Map<string, Promise<number | null>>()
  return (chainId, blockNumber) => {
    const client = clients.get(chainId)
    if (!client) return Promise.resolve(null)
    const key = `${chainId}:${blockNumber}`
    const known = pending.get(key)
    if (known) return known
    const time = client.getBlock({ blockNumber: BigInt(blockNumber) }).then(
      (block) => Number(block.timestamp),
      () => null,
    )
    pending.set(key, time)
    // Not cached, because a reorg may change it.
    void time.finally(() => pending.delete(key))
    return time
  }
}
