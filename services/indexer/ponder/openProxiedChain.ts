import type { Logger } from 'pino'
import { createRpcPool, type RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import { describeRpcPoolEvent, type RpcPoolEvent } from '../../chain/rpcPool/rpcPoolEvent.ts'
import { serveRpcProxy } from '../../chain/rpcPool/serveRpcProxy.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'

/** Copies of the proxy's URL for Ponder, which allows itself 20 requests a second for each. */
const urlCopies = 25

export type ProxiedChain = {
  /** The chain as Ponder gets it: its URLs lead to our proxy. */
  chain: ChainConfig
  /** The providers themselves. One that is quarantined while history is read stays so for Ponder. */
  rpc: RpcPool
  close(): Promise<void>
}

/** Opens the proxy in front of a chain's RPC providers, for one run of its Ponder. */
export async function openProxiedChain({
  chain,
  log,
}: {
  chain: ChainConfig
  log: Logger
}): Promise<ProxiedChain> {
  const observe = (event: RpcPoolEvent) =>
    log[levelOf(event)]({ chain: chain.name }, describeRpcPoolEvent(event))
  const rpc = createRpcPool({ ...chain, observe })
  const contracts = chain.vault ? [chain.bridge, chain.vault] : [chain.bridge]
  const proxy = await serveRpcProxy({ pool: rpc, contracts, observe, wsUrl: chain.wsUrl })
  return {
    chain: { ...chain, rpcUrls: proxy.urls(urlCopies), wsUrl: proxy.wsUrl },
    rpc,
    close: () => proxy.close(),
  }
}

function levelOf({ type }: RpcPoolEvent): 'warn' | 'info' | 'debug' {
  if (type === 'provider-recovered' || type === 'provider-readmitted' || type === 'providers-back')
    return 'info'
  // A single failure is followed by another provider or by a retry; only lasting trouble is news.
  return type === 'provider-failed' ? 'debug' : 'warn'
}
