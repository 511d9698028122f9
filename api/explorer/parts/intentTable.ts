import { deriveStatus } from '../../../core/intent/status.ts'
import type { ChainHeads } from '../../../services/store/chains/readChainStates.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { html, type Markup } from '../html/html.ts'
import type { TokenOf } from '../loadShownTokens.ts'
import { renderAmount } from './amount.ts'
import { renderAccountLink, renderRouteMark } from './pageLinks.ts'
import { PATHS } from './pagePaths.ts'
import { shortenIntentId } from './shortenIntentId.ts'
import { renderStatusMark } from './statusMark.ts'
import { renderTime } from './timesAndDurations.ts'

/** Intents as rows; on a phone each becomes a card. */
export function renderIntentTable(
  intents: readonly StoredIntent[],
  heads: ChainHeads,
  tokenOf: TokenOf,
  caption: string,
): Markup {
  return html`<table class="cards"><caption class="sr">${caption}</caption>
<thead><tr><th scope="col">Intent</th><th scope="col">Status</th><th scope="col">Route</th><th scope="col" class="n">Offers</th><th scope="col" class="n">Wants at least</th><th scope="col" class="n">Bids</th><th scope="col">Sender</th><th scope="col" class="n">Created</th></tr></thead>
<tbody>${intents.map((stored) => row(stored, heads, tokenOf))}</tbody></table>`
}

function row(stored: StoredIntent, heads: ChainHeads, tokenOf: TokenOf): Markup {
  const { source } = stored
  const id = String(source.intentId)
  return html`<tr data-key="${source.sourceChainId}:${id}">
<th scope="row"><a class="mono" href="${PATHS.intent(id)}" title="${id}">${shortenIntentId(id)}</a></th>
<td data-name="Status">${renderStatusMark(deriveStatus(stored, heads).status)}</td>
<td data-name="Route">${renderRouteMark(source.sourceChainId, source.destChainId)}</td>
<td data-name="Offers" class="n">${renderAmount(source.amountA, tokenOf(source.sourceChainId, source.tokenA))}</td>
<td data-name="Wants at least" class="n">${renderAmount(source.expectedAmountB, tokenOf(source.destChainId, source.tokenB))}</td>
<td data-name="Bids" class="n num minor">${source.bidCount}</td>
<td data-name="Sender" class="minor">${renderAccountLink(source.sender)}</td>
<td data-name="Created" class="n">${renderTime(source.createdAt)}</td></tr>`
}
