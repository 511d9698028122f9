const PLAIN_DECIMAL = /^(\d+)(?:\.(\d+))?$/

/**
 * Base units of an amount written in whole tokens: `parseTokenAmount('1.5', 6)` is `1500000n`.
 * Throws a RangeError for anything but plain digits with an optional fraction, and for a fraction
 * finer than the token's smallest unit: money is never rounded silently.
 */
export function parseTokenAmount(text: string, decimals: number): bigint {
  const match = PLAIN_DECIMAL.exec(text)
  if (!match) throw new RangeError(`"${text}" is not a decimal amount`)
  const [, whole = '', fraction = ''] = match
  if (fraction.length > decimals) {
    throw new RangeError(`"${text}" has more than ${decimals} decimals`)
  }
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

/** An amount of base units written in whole tokens, without trailing zeros: `1500000n, 6` is `'1.5'`. */
export function formatTokenAmount(amount: bigint, decimals: number): string {
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}
