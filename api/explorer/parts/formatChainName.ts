import { findChainName } from '../../../core/chain/chainNames.ts'

/** A chain's name for people: `base_sepolia` is Base Sepolia. */
export function formatChainName(chainId: number | string): string {
  const name = findChainName(Number(chainId))
  if (name === null) return `Chain ${chainId}`
  return name
    .split('_')
    .filter((word) => word !== 'mainnet')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
}
