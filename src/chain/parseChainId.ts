/**
 * A chain id out of a log, as a number; null when it can't be one.
 *
 * Logs carry chain ids as uint256, and `solveIntent` takes whatever its caller writes there. An id
 * beyond 2^53 names no chain we could hold and would not fit its column either.
 */
export function parseChainId(value: bigint): number | null {
  return value > 0n && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : null
}
