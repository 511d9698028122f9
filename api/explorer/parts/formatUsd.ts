import { toCents, toUsd } from '../../../core/money/usdValue.ts'
import { toIsoTime } from '../../http/isoTime.ts'
import { html, type Markup } from '../html/html.ts'
import type { ShownToken } from '../loadShownTokens.ts'
import { renderExactTime } from './timesAndDurations.ts'

/** An amount in US dollars, for display beside the amount; null without a price. `formatPriceNote` names the price's source. */
export function formatUsdBeside(base: bigint | string, token: ShownToken): Markup | null {
  const { price, decimals } = token
  if (price === null || decimals === null) return null
  const value = toUsd(BigInt(base), decimals, price.usd)
  // Meaningless, such as the value of “no limit”.
  if (/^\d{16}/.test(value)) return null
  const title = `exactly ${value} USD, at ${price.usd} USD for one token`
  return html` <span class="usd quiet" title="${title}">≈ <span class="num">${dollars(value)}</span></span>`
}

/** The sources and times of a page's prices; null if it has none. */
export function formatPriceNote(tokens: readonly ShownToken[]): Markup | null {
  const bases = new Map(
    tokens
      .flatMap(({ price, decimals }) => (price === null || decimals === null ? [] : [price]))
      .map((price) => [`${price.asOf} ${price.source}`, price]),
  )
  if (bases.size === 0) return null
  const words = [...bases.values()].map(
    ({ source, asOf }, index) =>
      html`${index > 0 && ', '}<bdi>${source}</bdi> as of ${renderExactTime(toIsoTime(asOf))} UTC`,
  )
  return html`<p class="quiet usd-note">US dollars at prices from ${words}, not at the time of the intent.</p>`
}

/** `$1,250.38`, or `less than $0.01`. */
export function dollars(value: string): string {
  const cents = toCents(value)
  if (cents === 0n && /[1-9]/.test(value)) return 'less than $0.01'
  const whole = String(cents / 100n).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')
  return `$${whole}.${String(cents % 100n).padStart(2, '0')}`
}
