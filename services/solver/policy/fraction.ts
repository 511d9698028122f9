/** An exact, non-negative rational number with a positive denominator. */
export type Fraction = { numerator: bigint; denominator: bigint }

const DECIMAL = /^(\d{1,30})(?:\.(\d{1,30}))?$/

/**
 * Parses a decimal: `'3000.25'` is 300025/100.
 *
 * @throws RangeError for anything but digits with an optional decimal part
 */
export function parseFraction(text: string): Fraction {
  const match = DECIMAL.exec(text)
  if (!match) throw new RangeError(`"${text}" is not a decimal number`)
  const [, whole = '', part = ''] = match
  return { numerator: BigInt(whole + part), denominator: 10n ** BigInt(part.length) }
}

/** `floor(amount · fraction)`. */
export function multiplyDown(amount: bigint, { numerator, denominator }: Fraction): bigint {
  return (amount * numerator) / denominator
}

/** `ceil(amount · fraction)`. */
export function multiplyUp(amount: bigint, { numerator, denominator }: Fraction): bigint {
  return (amount * numerator + denominator - 1n) / denominator
}

/** `a / b`. `b` is not zero. */
export function divide(a: Fraction, b: Fraction): Fraction {
  return {
    numerator: a.numerator * b.denominator,
    denominator: a.denominator * b.numerator,
  }
}
