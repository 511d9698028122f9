/**
 * Each recipient's payment when the winner delivers `total`: its own amount, plus its proportional share of the surplus
 * over the amounts' sum, rounded down; the first recipient also gets the remainder. The payments add up to `total`.
 *
 * @param amounts base units of tokenB, each above zero, at least one
 * @param total base units of tokenB that the winner committed to
 * @throws RangeError when there are no amounts, one isn't above zero, or `total` is below their sum
 */
export function shareSurplus(amounts: readonly bigint[], total: bigint): bigint[] {
  const sum = amounts.reduce((all, amount) => all + amount, 0n)
  if (amounts.length === 0 || amounts.some((amount) => amount <= 0n) || total < sum) {
    throw new RangeError('there is nothing to share')
  }
  const surplus = total - sum
  const owed = amounts.map((amount) => amount + (surplus * amount) / sum)
  const rest = total - owed.reduce((all, amount) => all + amount, 0n)
  return owed.map((amount, position) => (position === 0 ? amount + rest : amount))
}
