import type { ChainConfig } from '../services/config/chainConfig.ts'
import type { DevnetContracts } from './deploy/devnetContracts.ts'
import type { DevnetChain } from './startChains.ts'
import { DEVNET_TOKENS, TOKEN_SYMBOLS } from './tokens.ts'

/** A devnet chain's configuration for the production programs. */
export function buildChainConfig(chain: DevnetChain, contracts: DevnetContracts): ChainConfig {
  return {
    name: chain.name,
    chainId: chain.chainId,
    rpcUrls: [chain.rpc],
    wsUrl: chain.ws,
    bridge: contracts.bridge,
    registry: contracts.registry,
    vault: contracts.vault,
    startBlock: 0,
    confirmations: 2,
    tokens: Object.fromEntries(
      TOKEN_SYMBOLS.map((symbol) => {
        const { decimals } = DEVNET_TOKENS[symbol]
        return [symbol, { address: contracts.tokens[symbol], decimals }]
      }),
    ),
  }
}
