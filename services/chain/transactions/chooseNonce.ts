/**
 * The nonce of the next transaction: the lowest that the chain still expects and that none of our
 * live transactions holds. So a freed nonce is filled before a new one is used.
 *
 * @param next the chain's count of the account's mined transactions
 * @param held nonces of live transactions, in any order
 */
export function chooseNonce(next: number, held: Iterable<number>): number {
  const taken = new Set(held)
  let nonce = next
  while (taken.has(nonce)) nonce += 1
  return nonce
}
