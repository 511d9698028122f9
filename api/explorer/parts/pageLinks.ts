import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import { html, type Markup } from '../html/html.ts'
import { renderCopyButton } from './copyableText.ts'
import { formatChainName } from './formatChainName.ts'
import { PATHS } from './pagePaths.ts'
import { shortenHex } from './shortenHex.ts'

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
  return html`<span class="hash"><a class="mono" href="${path(full)}" title="${full}">${shortenHex(full)}</a>${renderCopyButton(full, 'address')}</span>`
}

/** A shortened transaction hash, linked to its page, with a copy button and a link to the chain's block explorer. */
export function renderTransactionLink(hash: string, outside: string | null = null): Markup {
  return html`<span class="hash"><a class="mono" href="${PATHS.transaction(hash)}" title="${hash}">${shortenHex(hash)}</a>${renderCopyButton(hash, 'transaction hash')}${renderOutsideLink(outside)}</span>`
}

/** A link to a block explorer, whose URL the operator configured. */
export function renderOutsideLink(address: string | null): Markup | null {
  return address === null
    ? null
    : html`<a class="outside" href="${address}" rel="noopener noreferrer external" target="_blank" aria-label="Open in the chain’s block explorer">↗</a>`
}
