import type { ChainConfig } from '../../../services/config/chainConfig.ts'

/** URLs of a chain's block explorer; null if the operator configured none. */
export type BlockExplorerLinks = {
  transaction(chainId: number | string, hash: string): string | null
  address(chainId: number | string, address: string): string | null
  block(chainId: number | string, number: number | string): string | null
}

/** @param configured chains; the configuration's schema has checked their URL templates */
export function createBlockExplorerLinks(configured: readonly ChainConfig[]): BlockExplorerLinks {
  const of = (chainId: number | string) =>
    configured.find((one) => one.chainId === Number(chainId))?.blockExplorer
  const fill = (template: string | undefined, placeholder: string, value: string | number) =>
    template?.replaceAll(placeholder, encodeURIComponent(value)) ?? null
  return {
    transaction: (chain, hash) => fill(of(chain)?.transaction, '{hash}', hash),
    address: (chain, address) => fill(of(chain)?.address, '{address}', address),
    block: (chain, number) => fill(of(chain)?.block, '{number}', number),
  }
}
