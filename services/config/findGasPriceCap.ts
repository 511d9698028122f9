import type { ChainConfig } from './chainConfig.ts'

/** Gwei per gas above which no relayer transaction was ever worth its price, by chain id. */
const CAPS: ReadonlyMap<number, number> = new Map([
  [1, 200],
  [11_155_111, 200],
  [137, 2_000],
  [80_002, 2_000],
])

/** For rollups, and for chains without an entry. */
const DEFAULT_CAP = 10

/**
 * The relayer's gas price limit on a chain, in wei: from the chain's configuration, else `MAX_FEE_GWEI`, else the
 * chain's default.
 *
 * @param forAll limit in wei for chains without their own; null if unset
 */
export function findGasPriceCap(
  { chainId, maxFeeGwei }: Pick<ChainConfig, 'chainId' | 'maxFeeGwei'>,
  forAll: bigint | null = null,
): bigint {
  if (maxFeeGwei === undefined && forAll !== null) return forAll
  const gwei = maxFeeGwei ?? CAPS.get(chainId) ?? DEFAULT_CAP
  // Rollups cost small fractions of a gwei.
  return BigInt(Math.round(gwei * 1_000_000)) * 1_000n
}
