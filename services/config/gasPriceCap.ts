import type { ChainConfig } from './chains.ts'

/** Gwei for each gas beyond which nothing the relayer does was ever worth its price, by chain id. */
const CAPS: ReadonlyMap<number, number> = new Map([
  [1, 200],
  [11_155_111, 200],
  [137, 2_000],
  [80_002, 2_000],
])

/** Of rollups, and of chains that nobody has said anything about. */
const DEFAULT_CAP = 10

/**
 * What the relayer pays for each gas on a chain at most, in wei: by the chain's own configuration, else by
 * `MAX_FEE_GWEI`, else by what is usual there.
 *
 * @param forAll wei, of all chains without an entry of their own; null: not said
 */
export function gasPriceCap(
  { chainId, maxFeeGwei }: Pick<ChainConfig, 'chainId' | 'maxFeeGwei'>,
  forAll: bigint | null = null,
): bigint {
  if (maxFeeGwei === undefined && forAll !== null) return forAll
  const gwei = maxFeeGwei ?? CAPS.get(chainId) ?? DEFAULT_CAP
  // Rollups ask for small parts of a gwei.
  return BigInt(Math.round(gwei * 1_000_000)) * 1_000n
}
