import { ORDER_STATUSES } from '../../../core/order/orderStatus.ts'
import { ORDERS, type OrderFilter } from '../../../services/store/orders/scheduledOrders.ts'
import type { OrderFacts } from '../../../src/order/orderFacts.ts'
import { addressInput, chainInput } from '../../http/valueSchemas.ts'
import { chainsToRead, requireReady } from '../../rest/readContext.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html, type Markup } from '../html/html.ts'
import { loadShownTokens, tokensOfPairs } from '../loadShownTokens.ts'
import { renderEmptyState } from '../parts/emptyState.ts'
import { formatChainName } from '../parts/formatChainName.ts'
import type { Page } from '../parts/layout.ts'
import { renderNotIndexedNote } from '../parts/notIndexedNote.ts'
import { ORDER_WORDS } from '../parts/orderMark.ts'
import { renderOrderTable } from '../parts/orderTable.ts'
import { changedPath, PATHS } from '../parts/pagePaths.ts'

const SIZE = 25
const SHOW_ALL = html`<a class="button" href="${PATHS.orders}">Show all</a>`

/** `/explorer/orders`: scheduled orders, newest first; the address holds the filters. */
export async function renderOrdersPage(
  reads: ExplorerReadContext,
  _: Record<string, string>,
  query: URLSearchParams,
): Promise<Page> {
  const at = (changes: Record<string, string | null>) =>
    changedPath(
      PATHS.orders,
      [...query].filter(([, value]) => value !== ''),
      changes,
    )
  const showing = (list: Markup) =>
    html`<h1>Scheduled orders</h1><p class="lead">A vault holds an order’s tokens and sends them in tranches, one intent per period.</p>${filterForm(reads, query, at)}${list}`
  const filter = parseFilter(query)
  if (typeof filter === 'string') {
    const body = showing(renderEmptyState(filter, SHOW_ALL))
    return { title: 'Scheduled orders', place: 'orders', body, status: 400 }
  }
  const cursor = query.get('cursor')
  const now = await chainsToRead(reads)
  if (filter.chainId !== undefined) requireReady(reads, now, filter.chainId)
  const { heads } = now
  const page = { direction: 'desc', fromEnd: false, limit: SIZE + 1 } as const
  const after = cursor === null ? undefined : ORDERS.placeIn(cursor)
  const found = await ORDERS.list(reads.db, { filter, heads }, { ...page, after })
  const shown = found.slice(0, SIZE)
  const last = found.length > SIZE ? shown.at(-1) : undefined
  const tokenOf = await loadShownTokens(reads, tokensOfOrders(shown))
  const body = showing(html`
<section id="list" data-region>${renderNotIndexedNote(reads, now)}${shown.length > 0 ? renderOrderTable(shown, heads, tokenOf) : renderEmptyState('No orders match these filters.', SHOW_ALL)}
<nav class="pages" aria-label="Pages">${cursor !== null && html`<a class="button" href="${at({ cursor: null })}">First page</a>`}${last && html`<a class="button" rel="next" href="${at({ cursor: ORDERS.cursorOf(last) })}">Older orders</a>`}</nav></section>`)
  return { title: 'Scheduled orders', place: 'orders', body, live: cursor === null ? 'all' : null }
}

/** Both tokens of orders, as `loadShownTokens` takes them. */
export function tokensOfOrders(found: readonly OrderFacts[]) {
  return tokensOfPairs(found.map((order) => ({ ...order, sourceChainId: order.chainId })))
}

/** The filter, or what is wrong with it. */
function parseFilter(query: URLSearchParams): OrderFilter | string {
  const status = ORDER_STATUSES.find((word) => word === query.get('status'))
  if (query.get('status') && !status) return `There is no status “${query.get('status')}”.`
  const owner = query.get('owner')?.trim()
  const chain = query.get('chainId')
  const parsed = {
    owner: owner && addressInput.safeParse(owner),
    chain: chain && chainInput.safeParse(chain),
  }
  if (parsed.owner && !parsed.owner.success)
    return `Owner: ${parsed.owner.error.issues[0]?.message}.`
  if (parsed.chain && !parsed.chain.success) return `On: ${parsed.chain.error.issues[0]?.message}.`
  return {
    status,
    owner: parsed.owner ? parsed.owner.data : undefined,
    chainId: parsed.chain ? parsed.chain.data : undefined,
  }
}

function filterForm(
  reads: ExplorerReadContext,
  query: URLSearchParams,
  at: (changes: Record<string, string | null>) => string,
): Markup {
  const chosen = query.get('status')
  return html`<form class="filters" action="${PATHS.orders}" aria-label="Filters">
<div class="status-links" role="group" aria-label="Status">${[null, ...ORDER_STATUSES].map((status) => html`<a href="${at({ status, cursor: null })}" ${chosen === status && html`aria-current="true"`}>${status === null ? 'All' : ORDER_WORDS[status]}</a>`)}</div>
${chosen !== null && html`<input type="hidden" name="status" value="${chosen}">`}
<label>On<select name="chainId"><option value="">any chain</option>${reads.configured.map(({ chainId }) => html`<option value="${chainId}" ${query.get('chainId') === String(chainId) && html`selected`}>${formatChainName(chainId)}</option>`)}</select></label>
<label>Owner<input name="owner" value="${query.get('owner') ?? ''}" placeholder="0x…" size="14" spellcheck="false" autocomplete="off"></label>
<button class="button strong">Filter</button></form>`
}
