import type { ChainConfig } from '../config/chains.ts'
import type { BlockTimes } from '../store/asOf/resolveAsOf.ts'
import { chainClient } from './chainClient.ts'

/** Asks the chains' nodes for the times of blocks. Questions for the same block at the same time are one. */
export function blockTimes(chains: readonly ChainConfig[]): BlockTimes {
  const clients = new Map(
    chains.map((chain) => [chain.chainId, chainClient(chain, { timeoutMs: 2_000 })]),
  )
  const asked = new Map<string, Promise<number | null>>()
  return (chainId, blockNumber) => {
    const client = clients.get(chainId)
    if (!client) return Promise.resolve(null)
    const name = `${chainId}:${blockNumber}`
    const known = asked.get(name)
    if (known) return known
    const time = client.getBlock({ blockNumber: BigInt(blockNumber) }).then(
      (block) => Number(block.timestamp),
      () => null,
    )
    asked.set(name, time)
    // Not cached: a reorg may change the answer before the next question.
    void time.finally(() => asked.delete(name))
    return time
  }
}
