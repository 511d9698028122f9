import type { ChainConfig } from '../../../services/config/chains.ts'

/** Pages of a chain's block explorer; null where the operator named none. */
export type BlockExplorerLinks = {
  transaction(chainId: number | string, hash: string): string | null
  address(chainId: number | string, address: string): string | null
  block(chainId: number | string, number: number | string): string | null
}

/** @param configured chains, whose templates were checked when the configuration was read */
export function blockExplorerLinks(configured: readonly ChainConfig[]): BlockExplorerLinks {
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
