/** Gas prices, in gwei, above which no transaction was ever worth sending, by chain id. */
const CAPS: ReadonlyMap<number, number> = new Map([
  [1, 200],
  [11_155_111, 200],
  [137, 2_000],
  [80_002, 2_000],
])

/** For rollups, and for chains without an entry. */
const DEFAULT_CAP = 10

/** A chain's default gas price limit, in gwei. */
export function defaultMaxFeeGwei(chainId: number): number {
  return CAPS.get(chainId) ?? DEFAULT_CAP
}
