import {
  type Chain,
  createPublicClient,
  defineChain,
  fallback,
  http,
  type PublicClient,
  type Transport,
} from 'viem'
import { batchedHttp } from './batchedHttp.ts'

/**
 * A client of one chain that reads; several URLs are tried in their order.
 *
 * @param options `isBatched`: what is asked at about the same time is one exchange
 */
export function chainClient(
  chain: { name: string; chainId: number; rpcUrls: readonly string[] },
  options: { timeoutMs?: number; isBatched?: boolean } = {},
): PublicClient<Transport, Chain> {
  const { timeoutMs = 10_000, isBatched = false } = options
  const over = isBatched ? batchedHttp : http
  const transports = chain.rpcUrls.map((url) => over(url, { timeout: timeoutMs, retryCount: 1 }))
  const [only] = transports
  return createPublicClient({
    chain: describeChain(chain),
    transport: transports.length === 1 && only ? only : fallback(transports),
    // Answers about the head must be fresh: statuses depend on them.
    cacheTime: 0,
  })
}

function describeChain(chain: {
  name: string
  chainId: number
  rpcUrls: readonly string[]
}): Chain {
  return defineChain({
    id: chain.chainId,
    name: chain.name,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: chain.rpcUrls } },
    contracts: { multicall3: { address: MULTICALL3 } },
  })
}

/** Multicall3 has this address on every chain, the devnet included. */
export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
