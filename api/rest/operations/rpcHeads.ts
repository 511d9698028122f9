import { createPublicClient, fallback, http } from 'viem'
import type { ChainConfig } from '../../../services/config/chains.ts'

/** A chain's head, as last reported by its nodes. */
export type RpcHead = {
  /** Null until a node has answered. */
  blockNumber: number | null
  /** Unix seconds of the head block. */
  timestamp: number | null
  /** Whether the latest request was answered. */
  reachable: boolean
}

export type RpcHeads = { of(chainId: number): RpcHead; stop(): void }

const NEVER: RpcHead = { blockNumber: null, timestamp: null, reachable: false }

/**
 * Polls each chain's nodes for the head, so that `/health` answers from memory and no hanging node delays it.
 */
export function watchRpcHeads(chains: readonly ChainConfig[], everyMs = 2_000): RpcHeads {
  const heads = new Map<number, RpcHead>()
  const stops = chains.map((chain) => watchChain(chain, everyMs, heads))
  return {
    of: (chainId) => heads.get(chainId) ?? NEVER,
    stop: () => {
      for (const stop of stops) stop()
    },
  }
}

function watchChain(chain: ChainConfig, everyMs: number, heads: Map<number, RpcHead>): () => void {
  const transports = chain.rpcUrls.map((url) => http(url, { timeout: 3_000, retryCount: 0 }))
  const client = createPublicClient({ transport: fallback(transports, { retryCount: 0 }) })
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const poll = async () => {
    const block = await client.getBlock({ blockTag: 'latest' }).catch(() => null)
    if (stopped) return
    const { blockNumber, timestamp } = heads.get(chain.chainId) ?? NEVER
    heads.set(
      chain.chainId,
      block
        ? { blockNumber: Number(block.number), timestamp: Number(block.timestamp), reachable: true }
        : { blockNumber, timestamp, reachable: false },
    )
    timer = setTimeout(poll, everyMs).unref()
  }
  void poll()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
