import { findChainName } from '../../core/chain/chainNames.ts'
import type { ChainConfig } from '../../services/config/chainConfig.ts'

/** Names a chain: by this deployment's configuration, else by the protocol, else by its id. */
export function createChainNamer(configured: readonly ChainConfig[]): (chainId: number) => string {
  const names = new Map(configured.map(({ chainId, name }) => [chainId, name]))
  return (chainId) => names.get(chainId) ?? findChainName(chainId) ?? String(chainId)
}
