import { createPublicClient, type PublicClient } from 'viem'
import { createHttpTransport } from '../../../services/chain/httpTransport.ts'
import { findLowerMedian } from '../../../services/chain/transactions/medianAndMajority.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'

/** A chain's head, as its nodes last agreed on it. */
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
  const clients = chain.rpcUrls.map((url) =>
    createPublicClient({ transport: createHttpTransport(url, { timeout: 3_000, retryCount: 0 }) }),
  )
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const poll = async () => {
    const head = await agreedHead(clients)
    if (stopped) return
    const known = heads.get(chain.chainId) ?? NEVER
    heads.set(chain.chainId, head ? { ...head, reachable: true } : { ...known, reachable: false })
    timer = setTimeout(poll, everyMs).unref()
  }
  void poll()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/** The head that most nodes have reached: one that lags or invents blocks moves it by little. Null if none answers. */
async function agreedHead(
  clients: readonly PublicClient[],
): Promise<Omit<RpcHead, 'reachable'> | null> {
  const answers = await Promise.all(
    clients.map((client) => client.getBlock({ blockTag: 'latest' }).catch(() => null)),
  )
  const blocks = answers.filter((block) => block !== null)
  if (blocks.length === 0) return null
  return {
    blockNumber: Number(findLowerMedian(blocks.map(({ number }) => number))),
    timestamp: Number(findLowerMedian(blocks.map(({ timestamp }) => timestamp))),
  }
}
