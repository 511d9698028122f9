import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import type { Token } from '../../http/tokens/tokenLookup.ts'
import { html, type Markup } from '../html/html.ts'
import { PATHS } from './pagePaths.ts'
import { shortenHex } from './shortenHex.ts'

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
