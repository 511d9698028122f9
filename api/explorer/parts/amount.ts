import { formatUnits } from 'viem'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import type { Token } from '../../http/tokens/tokenBook.ts'
import { html, type Markup } from '../html/html.ts'
import { PATHS } from './pagePaths.ts'

/** Decimal places shown of an amount of at least 1, and significant digits of a smaller one. */
const PLACES = 4
const SIGNIFICANT = 4
/** Amounts with more whole digits, such as “no limit”, are shown as powers of ten. */
const MAX_WHOLE_DIGITS = 16
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
export function renderAmount(base: bigint | string, token: Token, className = 'amount'): Markup {
  return html`<span class="${className}" title="${exactly(BigInt(base), token)}">${number(BigInt(base), token)} ${renderTokenName(token)}</span>`
}

function number(base: bigint, { decimals }: Token): Markup {
  if (decimals === null) return html`<span class="num">${String(base)}</span> base units of`
  return html`<span class="num">${formatRoundedAmount(base, decimals)}</span>`
}

function exactly(base: bigint, { decimals, address }: Token): string {
  const exact = decimals === null ? '' : `exactly ${formatUnits(base, decimals)}, `
  return `${exact}${base} base units of ${address}`
}

/** A token's name, linked to its page. If nobody vouches for the name, the address is shown too. */
export function renderTokenName(token: Token): Markup {
  const address = toChecksumAddress(token.address)
  const link = PATHS.address(address)
  if (token.symbol === null)
    return html`<a class="token mono" href="${link}" title="${address}">${shortenHex(address)}</a>`
  if (isVouchedFor(token))
    return html`<a class="token" href="${link}" title="${address}">${token.symbol}</a>`
  return html`<a class="token unlisted" href="${link}" title="${address}: neither the operator nor the bridge vouches for this name">“<bdi>${token.symbol}</bdi>” <span class="mono">${shortenHex(address)}</span></a>`
}

/** A token's name as text, for titles and charts. */
export function formatTokenName(token: Token): string {
  const address = shortenHex(toChecksumAddress(token.address))
  if (token.symbol === null) return address
  return isVouchedFor(token) ? token.symbol : `“${token.symbol}” ${address}`
}

/** Anyone can issue a token called USDC: only the operator's configuration and a bridge's allow-list count. */
export function isVouchedFor({ source, minimum }: Token): boolean {
  return source === 'configuration' || minimum !== null
}

/** `0x1234…abcd` */
export function shortenHex(hex: string): string {
  return hex.length <= 13 ? hex : `${hex.slice(0, 6)}…${hex.slice(-4)}`
}
