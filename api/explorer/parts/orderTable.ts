import { toApiOrderId } from '../../../core/order/apiOrderId.ts'
import { countTranches } from '../../../core/order/countTranches.ts'
import type { ChainHeads } from '../../../services/store/chains/readChainStates.ts'
import type { OrderFacts } from '../../../src/order/orderFacts.ts'
import { html, type Markup } from '../html/html.ts'
import type { TokenOf } from '../loadShownTokens.ts'
import { renderAmount } from './amount.ts'
import { orderMark, statusOf } from './orderMark.ts'
import { renderAccountLink, renderRouteMark } from './pageLinks.ts'
import { PATHS } from './pagePaths.ts'
import { shortenHex } from './shortenHex.ts'
import { renderTime } from './timesAndDurations.ts'

/** Scheduled orders as rows; on a phone each becomes a card. */
export function renderOrderTable(
  orders: readonly OrderFacts[],
  heads: ChainHeads,
  tokenOf: TokenOf,
): Markup {
  return html`<table class="cards"><caption class="sr">Scheduled orders</caption>
<thead><tr><th scope="col">Order</th><th scope="col">Status</th><th scope="col">Route</th><th scope="col" class="n">Tranches</th><th scope="col" class="n">Total</th><th scope="col">Owner</th><th scope="col" class="n">Funded</th></tr></thead>
<tbody>${orders.map((order) => row(order, heads, tokenOf))}</tbody></table>`
}

function row(order: OrderFacts, heads: ChainHeads, tokenOf: TokenOf): Markup {
  const token = tokenOf(order.chainId, order.tokenA)
  const id = toApiOrderId(order.orderId)
  return html`<tr data-key="${order.chainId}:${order.orderId}">
<th scope="row"><a class="mono" href="${PATHS.order(order.orderId, order.chainId)}" title="${id}">${shortenHex(id)}</a></th>
<td data-name="Status">${orderMark(statusOf(order, heads))}</td>
<td data-name="Route">${renderRouteMark(order.chainId, order.destChainId)}</td>
<td data-name="Tranches" class="n num">${order.tranchesFired} of ${String(countTranches(order.totalAmount, order.amountPerPeriod))}</td>
<td data-name="Total" class="n">${renderAmount(order.totalAmount, token)}</td>
<td data-name="Owner" class="minor">${renderAccountLink(order.owner)}</td>
<td data-name="Funded" class="n">${renderTime(order.fundedAt)}</td></tr>`
}
