import { formatUnits } from 'viem'
import type { Token } from '../../http/tokens/tokenLookup.ts'
import { html, type Markup } from '../html/html.ts'
import { renderTokenName } from './tokenName.ts'

/** Decimal places shown of an amount of at least 1, and significant digits of a smaller one. */
const PLACES = 4
const SIGNIFICANT = 4
/** Amounts with more whole digits, such as “no limit”, are shown as powers of ten. */
const MAX_WHOLE_DIGITS = 16
/** Longest number, in characters, that never breaks. */
const LONGEST_UNBROKEN = 14
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** An amount for people: digits grouped, places rounded down. */
export function formatRoundedAmount(base: bigint, decimals: number): string {
  const [whole = '0', fraction = ''] = formatUnits(base, decimals).split('.')
  if (whole.length > MAX_WHOLE_DIGITS) {
    const exponent = String(whole.length - 1)
    const power = exponent.replaceAll(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)] ?? '')
    return `${whole[0]}.${whole.slice(1, 3)} × 10${power}`
  }
  const grouped = whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')
  const zeros = fraction.length - fraction.replace(/^0+/, '').length
  const places = whole === '0' ? zeros + SIGNIFICANT : PLACES
  const shown = fraction.slice(0, places).replace(/0+$/, '')
  if (shown === '') return grouped
  return `${grouped}.${shown.padEnd(2, '0')}`
}

/** An amount with its token. Its title has the exact amount. */
export function renderAmount(base: bigint | string, token: Token): Markup {
  return html`<span class="amount" title="${exactly(BigInt(base), token)}">${number(BigInt(base), token)} ${renderTokenName(token)}</span>`
}

function number(base: bigint, { decimals }: Token): Markup {
  if (decimals === null) return html`<span class="num">${String(base)}</span> base units of`
  const text = formatRoundedAmount(base, decimals)
  // Half a number reads as another number: only one that is too long for a phone breaks, between its groups.
  const parts = text.length > LONGEST_UNBROKEN ? text.split(/(?<=,)/) : [text]
  return html`<span class="num">${parts.map((part, index) => html`${index > 0 && html`<wbr>`}${part}`)}</span>`
}

function exactly(base: bigint, { decimals, address }: Token): string {
  const exact = decimals === null ? '' : `exactly ${formatUnits(base, decimals)}, `
  return `${exact}${base} base units of ${address}`
}
