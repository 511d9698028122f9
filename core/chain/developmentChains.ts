/**
 * Chains on which nothing of value exists: there a software enclave may attest, and a deployment's owner needn't be a
 * contract. A compile-time list, equal to `DevelopmentChains.sol`.
 */
export const DEVELOPMENT_CHAINS: ReadonlySet<number> = new Set([
  31_337, // anvil
  84_532, // base_sepolia
  2_651_420, // horizen_testnet
  80_002, // polygon_amoy
  11_155_111, // ethereum_sepolia
  11_155_420, // optimism_sepolia
  1_918_988_905, // rari_testnet
])

export function isDevelopmentChain(chainId: number): boolean {
  return DEVELOPMENT_CHAINS.has(chainId)
}
