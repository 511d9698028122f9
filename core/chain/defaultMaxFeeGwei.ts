/** Gwei per gas above which no transaction was ever worth its price, by chain id. */
const CAPS: ReadonlyMap<number, number> = new Map([
  [1, 200],
  [11_155_111, 200],
  [137, 2_000],
  [80_002, 2_000],
])

/** For rollups, and for chains without an entry. */
const DEFAULT_CAP = 10

/** A chain's usual limit on the price of gas, in gwei. */
export function defaultMaxFeeGwei(chainId: number): number {
  return CAPS.get(chainId) ?? DEFAULT_CAP
}
