/**
 * The next transaction's nonce: the lowest free one, so that a freed nonce is reused before a new one.
 *
 * @param next number of the account's mined transactions
 * @param inUse nonces of live transactions, in any order
 */
export function chooseNonce(next: number, inUse: Iterable<number>): number {
  const used = new Set(inUse)
  let nonce = next
  while (used.has(nonce)) nonce += 1
  return nonce
}
