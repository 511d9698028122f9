import { deriveStatus } from '../../../core/intent/status.ts'
import { parseOrderId, toApiOrderId } from '../../../core/order/apiOrderId.ts'
import { calculateOrderAmounts } from '../../../core/order/calculateOrderAmounts.ts'
import { countTranches } from '../../../core/order/countTranches.ts'
import { findNextTrancheTime } from '../../../core/order/findNextTrancheTime.ts'
import type { ChainHeads } from '../../../services/store/chains/readChainStates.ts'
import { loadIntents } from '../../../services/store/intents/intentLookup.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { findOrder } from '../../../services/store/orders/findOrder.ts'
import { loadTranches } from '../../../services/store/orders/loadTranches.ts'
import type { OrderFacts } from '../../../src/order/orderFacts.ts'
import type { TrancheRow } from '../../../src/projection/rowTypes.ts'
import { NotFoundError } from '../../http/apiError.ts'
import { toIsoTime } from '../../http/isoTime.ts'
import type { Token } from '../../http/tokens/tokenLookup.ts'
import { chainsToRead } from '../../rest/readContext.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html, type Markup } from '../html/html.ts'
import { loadShownTokens } from '../loadShownTokens.ts'
import { renderAmount } from '../parts/amount.ts'
import { type BlockExplorerLinks, createBlockExplorerLinks } from '../parts/blockExplorerLinks.ts'
import { renderCopyableText } from '../parts/copyableText.ts'
import { renderEmptyState } from '../parts/emptyState.ts'
import { renderFactList } from '../parts/factList.ts'
import type { Page } from '../parts/layout.ts'
import { orderMark, STOPPED, statusOf } from '../parts/orderMark.ts'
import { renderAccountLink, renderChainLink, renderTransactionLink } from '../parts/pageLinks.ts'
import { PATHS } from '../parts/pagePaths.ts'
import { shortenHex } from '../parts/shortenHex.ts'
import { shortenIntentId } from '../parts/shortenIntentId.ts'
import { renderStatusMark } from '../parts/statusMark.ts'
import { formatDuration, renderExactTime, renderTime } from '../parts/timesAndDurations.ts'
import { tokensOfOrders } from './orders.ts'

/** Tranches per page. Most orders have fewer. */
const SIZE = 50

/** `/explorer/order/<id>`: one scheduled order, where its tokens are, and its tranches. */
export async function renderOrderPage(
  reads: ExplorerReadContext,
  id: string,
  { chainId, after }: { chainId: number | undefined; after: number },
): Promise<Page> {
  const { heads } = await chainsToRead(reads)
  const range = parseOrderId(id)
  const found = range && (await findOrder(reads.db, range, chainId))
  if (!found) throw new NotFoundError('no vault has this order', 'ORDER_NOT_FOUND')
  const tranches = await loadTranches(reads.db, [found], { after, limit: SIZE + 1 })
  const shown = tranches.slice(0, SIZE)
  const keys = shown.map(({ chainId: sourceChainId, intentId }) => ({ sourceChainId, intentId }))
  const [intents, tokenOf] = await Promise.all([
    loadIntents(reads.db, keys),
    loadShownTokens(reads, tokensOfOrders([found])),
  ])
  const tokenA = tokenOf(found.chainId, found.tokenA)
  const tokenB = tokenOf(found.destChainId, found.tokenB)
  const links = createBlockExplorerLinks(reads.configured)
  const where = PATHS.order(found.orderId, found.chainId)
  const last = tranches.length > SIZE ? shown.at(-1) : undefined
  const serviceId = toApiOrderId(found.orderId)
  const { spent, refunded, left } = calculateOrderAmounts(found)
  const body = html`<section id="order" data-region><div class="title"><h1>Order <span class="mono">${shortenHex(serviceId)}</span></h1>${orderMark(statusOf(found, heads))}</div>
<p class="id">${renderCopyableText(serviceId, 'order id')}</p>
<div class="swap"><div><p class="name">Deposited on ${renderChainLink(found.chainId)}</p><p class="big">${renderAmount(found.totalAmount, tokenA)}</p><p class="quiet">${renderAmount(found.amountPerPeriod, tokenA)} every ${formatDuration(found.period)}</p></div><div class="arrow" aria-hidden="true">→</div><div><p class="name">Each tranche gets on ${renderChainLink(found.destChainId)}</p><p class="big">at least ${renderAmount(found.expectedAmountB, tokenB)}</p></div></div>
<div class="funds"><h2>Where the tokens are</h2><p>${renderAmount(spent, tokenA)} in tranches, ${renderAmount(refunded, tokenA)} back with the owner, ${renderAmount(left, tokenA)} in the vault.</p></div>
<div class="columns"><div><h2>Tranches</h2>${trancheTable(shown, intents, heads, tokenB)}
<nav class="pages" aria-label="Pages">${after >= 0 && html`<a class="button" href="${where}">First tranches</a>`}${last && html`<a class="button" rel="next" href="${where}&amp;after=${last.trancheIndex}">Later tranches</a>`}</nav></div>
<div><h2>Facts</h2>${orderFacts(found, heads, links)}</div></div></section>`
  return {
    title: `Order ${shortenHex(serviceId)}`,
    place: 'orders',
    body,
    live: after < 0 ? 'all' : null,
  }
}

/** Statuses of intents that no longer deliver anything. */
const WITHOUT_DELIVERY: ReadonlySet<unknown> = new Set(['failed', 'expired', 'cancelled'])

function amountPromised({ source }: StoredIntent): bigint | null {
  return source.winningAmountB ?? source.bestBid
}

function trancheTable(
  tranches: readonly TrancheRow[],
  intents: readonly StoredIntent[],
  heads: ChainHeads,
  tokenB: Token,
): Markup {
  if (tranches.length === 0) return renderEmptyState('No tranches fired yet.')
  const byId = new Map(intents.map((one) => [one.source.intentId, one]))
  return html`<table><caption class="sr">Tranches in order</caption><thead><tr><th scope="col" class="n">#</th><th scope="col">Intent</th><th scope="col">Status</th><th scope="col" class="n">Gets</th><th scope="col" class="n">Fired</th></tr></thead><tbody>${tranches.map(
    (tranche) => {
      const intent = byId.get(tranche.intentId)
      const trancheStatus = intent && deriveStatus(intent, heads).status
      const gets = intent && !WITHOUT_DELIVERY.has(trancheStatus) ? amountPromised(intent) : null
      return html`<tr data-key="tranche-${tranche.trancheIndex}"><td class="n num">${tranche.trancheIndex + 1}</td><th scope="row"><a class="mono" href="${PATHS.intent(tranche.intentId)}">${shortenIntentId(String(tranche.intentId))}</a></th><td>${trancheStatus ? renderStatusMark(trancheStatus) : '–'}</td><td class="n">${gets === null ? '–' : renderAmount(gets, tokenB)}</td><td class="n">${renderTime(tranche.firedAt)}</td></tr>`
    },
  )}</tbody></table>`
}

function orderFacts(order: OrderFacts, heads: ChainHeads, links: BlockExplorerLinks): Markup {
  const next = statusOf(order, heads).status === 'active' ? findNextTrancheTime(order) : null
  const at = (seconds: number) => renderExactTime(toIsoTime(seconds))
  const of = (hash: string) => renderTransactionLink(hash, links.transaction(order.chainId, hash))
  return renderFactList([
    ['Owner', renderAccountLink(order.owner)],
    [
      'Tranches',
      html`<span class="num">${order.tranchesFired} of ${String(countTranches(order.totalAmount, order.amountPerPeriod))} fired, ${order.tranchesCompleted} completed, ${order.tranchesRefunded} refunded</span>`,
    ],
    ['Next tranche due', next !== null && at(next)],
    ['Starts', at(order.startTime)],
    ['Ends', at(order.endTime)],
    ['Funded', html`${at(order.fundedAt)} ${of(order.fundTxHash)}`],
    [
      'Closed',
      order.closedAt !== null &&
        order.closeTxHash !== null &&
        html`${at(order.closedAt)}, ${order.closeReason && STOPPED[order.closeReason]} ${of(order.closeTxHash)}`,
    ],
    ['Signatures needed', html`<span class="num">${order.quorum}</span>`],
    [
      'Vault’s id',
      renderCopyableText(
        order.orderId,
        'vault’s id of the order',
        `${order.orderId.slice(0, 14)}…`,
      ),
    ],
    [
      'Record',
      html`<a href="/order-details/${order.orderId}?sourceChainId=${order.chainId}">as JSON</a>`,
    ],
  ])
}
