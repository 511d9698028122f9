import { centsOf, usdValue } from '../../../core/money/usdValue.ts'
import { isoTime } from '../../http/isoTime.ts'
import type { ShownToken } from '../explorerReads.ts'
import { html, type Markup } from '../html/html.ts'
import { exactMoment } from './statusMark.ts'

/**
 * An amount in US dollars, beside the amount itself; null without a price. The page names the price's source:
 * `usdNote`.
 */
export function usdBeside(base: bigint | string, token: ShownToken): Markup | null {
  const { price, decimals } = token
  if (price === null || decimals === null) return null
  const value = usdValue(BigInt(base), decimals, price.usd)
  // Such as of “no limit”: a meaningless figure.
  if (/^\d{16}/.test(value)) return null
  const title = `exactly ${value} USD, at ${price.usd} USD for one token`
  return html` <span class="usd quiet" title="${title}">≈ <span class="num">${dollars(value)}</span></span>`
}

/** The source and time of the prices behind a page's dollars; null where there are none. */
export function usdNote(tokens: readonly ShownToken[]): Markup | null {
  const bases = new Map(
    tokens
      .flatMap(({ price, decimals }) => (price === null || decimals === null ? [] : [price]))
      .map((price) => [`${price.asOf} ${price.source}`, price]),
  )
  if (bases.size === 0) return null
  const words = [...bases.values()].map(
    ({ source, asOf }, index) =>
      html`${index > 0 && ', '}<bdi>${source}</bdi> of ${exactMoment(isoTime(asOf))} UTC`,
  )
  return html`<p class="quiet usd-note">US dollars by prices of ${words}, not by any at the time of an intent.</p>`
}

/** `$1,250.38`; what is less than a cent, and more than nothing, as that. */
export function dollars(value: string): string {
  const cents = centsOf(value)
  if (cents === 0n && /[1-9]/.test(value)) return 'less than $0.01'
  const whole = String(cents / 100n).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')
  return `$${whole}.${String(cents % 100n).padStart(2, '0')}`
}
