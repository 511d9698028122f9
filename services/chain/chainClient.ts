import {
  type Chain,
  createPublicClient,
  defineChain,
  type PublicClient,
  type Transport,
} from 'viem'
import type { ChainConfig } from '../config/chainConfig.ts'
import { createBatchedHttpTransport } from './batchedHttpTransport.ts'
import { createFallbackTransport } from './fallbackTransport.ts'

/** A read-only client of one chain. Several URLs are tried in order; each gets concurrent requests as a batch. */
export function createChainClient(
  { name, chainId, rpcUrls }: Pick<ChainConfig, 'name' | 'chainId' | 'rpcUrls'>,
  { timeoutMs = 10_000 }: { timeoutMs?: number } = {},
): PublicClient<Transport, Chain> {
  const isOnly = rpcUrls.length === 1
  // Among several, the next one is the retry.
  const options = { timeout: timeoutMs, retryCount: isOnly ? 1 : 0, chainId }
  const transports = rpcUrls.map((url) => createBatchedHttpTransport(url, options))
  const [only] = transports
  return createPublicClient({
    chain: defineChain({
      id: chainId,
      name,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: rpcUrls } },
      contracts: { multicall3: { address: MULTICALL3 } },
    }),
    transport: isOnly && only ? only : createFallbackTransport(transports),
    // The head must be fresh, because statuses depend on it.
    cacheTime: 0,
  })
}

/** A read-only client of each chain, by chain id. */
export function createChainClients(
  chains: readonly ChainConfig[],
  timeoutMs: number,
): ReadonlyMap<number, PublicClient<Transport, Chain>> {
  return new Map(chains.map((chain) => [chain.chainId, createChainClient(chain, { timeoutMs })]))
}

/** A read-only client of each of a chain's nodes, of which any may lie. */
export function createNodeClients(
  chain: Pick<ChainConfig, 'name' | 'chainId' | 'rpcUrls'>,
  timeoutMs: number,
): PublicClient<Transport, Chain>[] {
  return chain.rpcUrls.map((url) => createChainClient({ ...chain, rpcUrls: [url] }, { timeoutMs }))
}

/** Multicall3 has this address on every chain, the devnet included. */
export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** Bytes of calldata in one multicall: a few hundred reads. */
export const MULTICALL_BYTES = 16_384
