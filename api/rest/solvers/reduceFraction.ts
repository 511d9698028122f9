/** A fraction in lowest terms, as decimal strings. `denominator` is positive, `numerator` isn't negative. */
export function reduceFraction(numerator: bigint, denominator: bigint) {
  const divisor = greatestCommonDivisor(numerator, denominator)
  return {
    numerator: String(numerator / divisor),
    denominator: String(denominator / divisor),
  }
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b]
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger
}
