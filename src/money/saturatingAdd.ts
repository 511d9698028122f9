const MAX_UINT256 = (1n << 256n) - 1n

/**
 * `sum + amount`, stopping at 2^256 − 1.
 *
 * For statistics only. Anyone can deliver 2^256 − 1 units of a token of their own making, again and
 * again; a sum of those must neither overflow its `numeric(78,0)` column nor stop the indexer.
 */
export function saturatingAdd(sum: bigint, amount: bigint): bigint {
  const total = sum + amount
  return total > MAX_UINT256 ? MAX_UINT256 : total
}
