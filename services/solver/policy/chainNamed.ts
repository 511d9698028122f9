import { chainIdOf } from '../../../core/chain/names.ts'
import type { ChainConfig } from '../../config/chains.ts'

/** The configured chain of this name, or of the name that this one is an alias of. */
export function chainNamed(chains: readonly ChainConfig[], name: string): ChainConfig | undefined {
  const chainId = chainIdOf(name)
  return chains.find((chain) => chain.name === name || chain.chainId === chainId)
}
