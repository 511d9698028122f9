const SEQUENCE_BITS = 64n
const MAX_SEQUENCE = (1n << SEQUENCE_BITS) - 1n

/** The parts of an intent id. */
type IntentIdParts = {
  /** EIP-155 id of the source chain. */
  chainId: number
  /** 1 for the first intent of that chain's bridge, and so on. */
  sequence: bigint
}

/**
 * An intent's id: `(chainId << 64) | sequence`, unique over all chains.
 *
 * @throws RangeError unless `chainId` is a positive safe integer and `1 ≤ sequence < 2^64`
 */
export function packIntentId(chainId: number, sequence: bigint): bigint {
  if (!Number.isSafeInteger(chainId) || chainId <= 0) {
    throw new RangeError(`chain id ${chainId} is not a positive safe integer`)
  }
  if (sequence < 1n || sequence > MAX_SEQUENCE) {
    throw new RangeError(`sequence ${sequence} is outside 1 … 2^64 − 1`)
  }
  return (BigInt(chainId) << SEQUENCE_BITS) | sequence
}

/**
 * The reverse of `packIntentId`.
 *
 * @throws RangeError for a number that no bridge can have assigned
 */
export function unpackIntentId(id: bigint): IntentIdParts {
  const chainId = id >> SEQUENCE_BITS
  const sequence = id & MAX_SEQUENCE
  const possible = chainId > 0n && chainId <= BigInt(Number.MAX_SAFE_INTEGER) && sequence > 0n
  if (!possible) throw new RangeError(`${id} is not an intent id`)
  return { chainId: Number(chainId), sequence }
}
