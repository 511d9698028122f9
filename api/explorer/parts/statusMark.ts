import type { Finality } from '../../../core/intent/finality.ts'
import type { Status } from '../../../core/intent/status.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { toIsoTime } from '../../http/isoTime.ts'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import { html, type Markup, type Value } from '../html/html.ts'
import { shortenHex } from './amount.ts'
import { formatChainName } from './formatChainName.ts'
import { PATHS } from './pagePaths.ts'

/** A status as a word with a coloured shape. */
export function renderStatusMark(status: Status, note?: string): Markup {
  return html`<span class="status s-${status}"><svg class="dot" viewBox="0 0 10 10" aria-hidden="true">${SHAPES[status]}</svg>${STATUS_WORDS[status]}${note && html`<span class="note"> ${note}</span>`}</span>`
}

const DISC = html`<circle cx="5" cy="5" r="4.2"/>`
const RING = html`<circle cx="5" cy="5" r="3.4" fill="none" stroke-width="2"/>`
const CROSS = html`<path d="M2 2l6 6M8 2l-6 6" fill="none" stroke-width="2" stroke-linecap="round"/>`
const HALF = html`<circle cx="5" cy="5" r="3.7" fill="none" stroke-width="1.4"/><path d="M5 1.3a3.7 3.7 0 0 1 0 7.4z"/>`

const SHAPES: Record<Status, Markup> = {
  pending: RING,
  solving: HALF,
  settled: DISC,
  completed: html`<path d="M1.5 5.4l2.4 2.5L8.6 2.4" fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>`,
  failed: CROSS,
  expired: html`<circle cx="5" cy="5" r="4" fill="none" stroke-width="1.5"/><path d="M5 2.8v2.4l1.5 1" fill="none" stroke-width="1.3" stroke-linecap="round" stroke-linejoin="round"/>`,
  cancelled: html`<path d="M1.5 5h7" fill="none" stroke-width="2" stroke-linecap="round"/>`,
}

/** Statuses in words. */
export const STATUS_WORDS: Record<Status, string> = {
  pending: 'Pending',
  solving: 'Solving',
  settled: 'Delivered',
  completed: 'Completed',
  failed: 'Failed',
  expired: 'Expired',
  cancelled: 'Cancelled',
}

/** A time that is always shown exactly. */
export function renderExactTime(at: string): Markup {
  return html`<span class="num">${readable(at)}</span>`
}

/** A time that the page's script shows relative to now. */
export function renderTime(at: number | string): Markup {
  const iso = typeof at === 'number' ? toIsoTime(at) : at
  return html`<time datetime="${iso}" title="${readable(iso)} UTC">${readable(iso)}</time>`
}

/** `2026-01-31 12:00:00` */
function readable(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ')
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** A duration in its two largest units, without zeros: `2 min 5 s`, `1 h`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds)
  const first = UNITS.findIndex(([, size]) => whole >= size)
  let rest = whole
  const parts = UNITS.slice(first, first + 2).flatMap(([unit, size]) => {
    const count = Math.floor(rest / size)
    rest %= size
    return count > 0 ? [`${count} ${unit}`] : []
  })
  return parts.join(' ') || '0 s'
}

/** A chain, linked to its card on the chains page. */
export function renderChainLink(chainId: number | string): Markup {
  return html`<a class="chain" href="${PATHS.chains}#chain-${chainId}">${formatChainName(chainId)}</a>`
}

export function renderRouteMark(from: number | string, to: number | string): Markup {
  return html`<span class="route">${formatChainName(from)} <span class="arrow" aria-label="to">→</span> ${formatChainName(to)}</span>`
}

/** A shortened account, linked to its page, with a copy button. */
export function renderAccountLink(address: Hex | string, path = PATHS.address): Markup {
  const full = toChecksumAddress(address.toLowerCase() as Hex)
  return html`<span class="hash"><a class="mono" href="${path(full)}" title="${full}">${shortenHex(full)}</a>${copyButton(full, 'address')}</span>`
}

/** A shortened transaction hash, linked to its page, with a copy button and a link to the chain's block explorer. */
export function renderTransactionLink(hash: string, outside: string | null = null): Markup {
  return html`<span class="hash"><a class="mono" href="${PATHS.transaction(hash)}" title="${hash}">${shortenHex(hash)}</a>${copyButton(hash, 'transaction hash')}${renderOutsideLink(outside, 'block explorer')}</span>`
}

/** Text with a copy button. */
export function renderCopyableText(text: string, what: string, shown = text): Markup {
  return html`<span class="hash"><span class="mono" title="${text}">${shown}</span>${copyButton(text, what)}</span>`
}

/** Hidden until the page's script, without which it doesn't work, shows it. */
function copyButton(text: string, what: string): Markup {
  return html`<button type="button" class="copy" hidden data-copy="${text}" aria-label="Copy ${what} ${shortenHex(text)}"><svg viewBox="0 0 16 16" aria-hidden="true"><rect x="5.5" y="5.5" width="8" height="8" rx="1.6"/><path d="M10.5 3.2A1.2 1.2 0 0 0 9.3 2.5H4A1.5 1.5 0 0 0 2.5 4v5.3c0 .5.3 1 .7 1.2"/></svg></button>`
}

/** A link to another site, whose URL the operator configured. */
export function renderOutsideLink(address: string | null, where: string): Markup | null {
  return address === null
    ? null
    : html`<a class="outside" href="${address}" rel="noopener noreferrer external" target="_blank" aria-label="Open in the chain’s ${where}">↗</a>`
}

export function renderFinalityMark(finality: Finality): Markup {
  const words = {
    latest: 'Latest: a reorg may still remove it',
    safe: 'Safe: enough blocks on top',
    finalized: 'Finalized',
  }
  return html`<span class="tag f-${finality}" title="${words[finality]}">${finality}</span>`
}

/** A list of terms and their values; entries without a value are left out. */
export function renderFactList(
  entries: readonly (readonly [term: string, value: Value])[],
): Markup {
  const shown = entries.filter(
    ([, value]) => value !== null && value !== undefined && value !== false,
  )
  return html`<dl class="facts">${shown.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`
}
