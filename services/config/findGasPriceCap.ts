import { defaultMaxFeeGwei } from '../../core/chain/defaultMaxFeeGwei.ts'
import type { ChainConfig } from './chainConfig.ts'

/**
 * The gas price limit on a chain, in wei: from the chain's configuration, else `MAX_FEE_GWEI`, else the chain's
 * default.
 *
 * @param forAll limit in wei for chains without their own; null if unset
 */
export function findGasPriceCap(
  { chainId, maxFeeGwei }: Pick<ChainConfig, 'chainId' | 'maxFeeGwei'>,
  forAll: bigint | null = null,
): bigint {
  if (maxFeeGwei === undefined && forAll !== null) return forAll
  const gwei = maxFeeGwei ?? defaultMaxFeeGwei(chainId)
  // Rollups cost small fractions of a gwei.
  return BigInt(Math.round(gwei * 1_000_000)) * 1_000n
}
