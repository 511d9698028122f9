import {
  type Chain,
  createPublicClient,
  defineChain,
  fallback,
  type PublicClient,
  type Transport,
} from 'viem'
import { createHttpTransport } from './httpTransport.ts'

/** A read-only client of one chain. Several URLs are tried in order. */
export function createChainClient(
  chain: { name: string; chainId: number; rpcUrls: readonly string[] },
  { timeoutMs = 10_000 }: { timeoutMs?: number } = {},
): PublicClient<Transport, Chain> {
  const transports = chain.rpcUrls.map((url) =>
    createHttpTransport(url, { timeout: timeoutMs, retryCount: 1 }),
  )
  const [only] = transports
  return createPublicClient({
    chain: describeChain(chain),
    transport: transports.length === 1 && only ? only : fallback(transports),
    // The head must be fresh, because statuses depend on it.
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
