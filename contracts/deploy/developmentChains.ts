/** As in DevelopmentChains.sol: chains that accept software enclaves, and owners without a multisig. */
const DEVELOPMENT_CHAINS: ReadonlySet<number> = new Set([
  31_337, 84_532, 2_651_420, 80_002, 11_155_111, 11_155_420, 1_918_988_905,
])

/** Whether nothing of value exists on this chain. */
export function isDevelopmentChain(chainId: number): boolean {
  return DEVELOPMENT_CHAINS.has(chainId)
}
