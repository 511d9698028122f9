/**
 * The log's newest sequence according to a `cairn_change` notification. Every database role may send one, so it is only a
 * hint to read the log.
 */
export function sequenceInNotice(payload: string): bigint {
  return BigInt(JSON.parse(payload).sequence)
}

/**
 * The chain whose clock moved according to a `cairn_clock` notification: likewise only a hint, to read the clock.
 *
 * @throws if it names no chain
 */
export function chainInNotice(payload: string): number {
  const { chainId } = JSON.parse(payload)
  if (!Number.isSafeInteger(chainId)) throw new TypeError('the payload names no chain')
  return chainId
}

/**
 * Parses a notification; null if it is malformed. Every database role may notify on any channel, and an exception in a
 * listener would end the process.
 */
export function readNotice<Notice>(
  payload: string | undefined,
  read: (payload: string) => Notice,
): Notice | null {
  try {
    return read(payload ?? '')
  } catch {
    return null
  }
}
