import { formatUnits } from 'viem'

/** Price of one whole token in US dollars: a decimal string without a sign. */
export const USD_PRICE = /^\d{1,15}(\.\d{1,18})?$/

/**
 * An amount's exact value in US dollars, such as `1250.375`. Never rounded, never a float.
 *
 * @param base base units of the token
 * @param decimals of the token
 * @param price dollars per whole token, as in `USD_PRICE`
 */
export function toUsd(base: bigint, decimals: number, price: string): string {
  const [whole = '', fraction = ''] = price.split('.')
  return formatUnits(base * BigInt(whole + fraction), decimals + fraction.length)
}

/** An exact value in whole cents; half a cent rounds up. */
export function toCents(value: string): bigint {
  const [whole = '0', fraction = ''] = value.split('.')
  const thousandths = BigInt(whole + fraction.slice(0, 3).padEnd(3, '0'))
  return (thousandths + 5n) / 10n
}
