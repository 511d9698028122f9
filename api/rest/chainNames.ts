import { findChainName } from '../../core/chain/names.ts'
import type { ChainConfig } from '../../services/config/chains.ts'

/** Names a chain: by this deployment's configuration, else by the protocol, else by its id. */
export function chainNames(configured: readonly ChainConfig[]): (chainId: number) => string {
  const names = new Map(configured.map(({ chainId, name }) => [chainId, name]))
  return (chainId) => names.get(chainId) ?? findChainName(chainId) ?? String(chainId)
}
