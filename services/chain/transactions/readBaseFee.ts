/**
 * A block's base fee in wei per gas; 0 on chains without one.
 *
 * @throws TypeError for a negative one, which would count as the lowest of all nodes' and make gas free for budgets
 */
export function readBaseFee({ baseFeePerGas }: { baseFeePerGas: bigint | null }): bigint {
  const fee = baseFeePerGas ?? 0n
  if (typeof fee === 'bigint' && fee >= 0n) return fee
  throw new TypeError('a node’s base fee is not an amount')
}
