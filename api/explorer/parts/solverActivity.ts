import { loadIntents } from '../../../services/store/intents/intentLookup.ts'
import { SOLVER_BIDS } from '../../../services/store/solvers/solverBids.ts'
import { SOLVER_DELIVERIES } from '../../../services/store/solvers/solverDeliveries.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Delivery } from '../../../src/intent/intentFacts.ts'
import type { BidRow } from '../../../src/projection/rowTypes.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html, type Markup } from '../html/html.ts'
import type { TokenOf } from '../loadShownTokens.ts'
import { renderAmount } from './amount.ts'
import { renderEmptyState } from './emptyState.ts'
import { renderChainLink, renderTransactionLink } from './pageLinks.ts'
import { PATHS } from './pagePaths.ts'
import { shortenIntentId } from './shortenIntentId.ts'
import { renderTime } from './timesAndDurations.ts'

const SIZE = 10

/** A bid with the token of its amount; null while its intent isn't indexed. */
type ShownBid = BidRow & { token: { chainId: number; token: Hex } | null; isBest: boolean }

/** A page of a list: `next` is the cursor of the next page, `isLater` whether this isn't the first page. */
type ListPage<Row> = { rows: readonly Row[]; next: string | null; isLater: boolean }

type SolverActivity = {
  bids: ListPage<ShownBid>
  deliveries: ListPage<Delivery>
  tokens: { chainId: number; token: Hex }[]
}

/** Reads both lists. @param query its `bids` and `deliveries` are cursors */
export async function readSolverActivity(
  { db }: ExplorerReadContext,
  solver: Hex,
  query: URLSearchParams,
): Promise<SolverActivity> {
  const page = { direction: 'desc', fromEnd: false, limit: SIZE + 1 } as const
  const asked = { solver, filter: {} }
  const [bidsAfter, deliveriesAfter] = [query.get('bids'), query.get('deliveries')]
  const after = <Place>(cursor: string | null, place: (cursor: string) => Place) =>
    cursor === null ? undefined : place(cursor)
  const [bids, deliveries] = await Promise.all([
    SOLVER_BIDS.list(db, asked, { ...page, after: after(bidsAfter, SOLVER_BIDS.placeIn) }),
    SOLVER_DELIVERIES.list(db, asked, {
      ...page,
      after: after(deliveriesAfter, SOLVER_DELIVERIES.placeIn),
    }),
  ])
  const sources = new Map(
    (await loadIntents(db, bids)).map(({ source }) => [
      `${source.sourceChainId}:${source.intentId}`,
      source,
    ]),
  )
  const shownBids = bids.map((bid): ShownBid => {
    const source = sources.get(`${bid.sourceChainId}:${bid.intentId}`)
    const token = source ? { chainId: source.destChainId, token: source.tokenB } : null
    const isBest = source?.bestBidder === bid.solver && source.bestBid === bid.amountB
    return { ...bid, token, isBest }
  })
  const tokenOf = ({ destChainId, tokenB }: Delivery) => ({ chainId: destChainId, token: tokenB })
  return {
    bids: listPage(shownBids, SOLVER_BIDS.cursorOf, bidsAfter),
    deliveries: listPage(deliveries, SOLVER_DELIVERIES.cursorOf, deliveriesAfter),
    tokens: [...shownBids.flatMap(({ token }) => token ?? []), ...deliveries.map(tokenOf)],
  }
}

function listPage<Row>(
  found: readonly Row[],
  cursorOf: (row: Row) => string,
  after: string | null,
): ListPage<Row> {
  const rows = found.slice(0, SIZE)
  const last = found.length > SIZE ? rows.at(-1) : undefined
  return { rows, next: last ? cursorOf(last) : null, isLater: after !== null }
}

/** The path of a list's page. Null as cursor: the first page. */
type PathOf = (list: string, cursor: string | null) => string

export function bidSection({ bids }: SolverActivity, tokenOf: TokenOf, pathOf: PathOf): Markup {
  const rows = bids.rows.map(
    (bid) =>
      html`<tr data-key="${bid.sourceChainId}:${bid.intentId}:${bid.bidIndex}"><th scope="row">${intentLink(bid.intentId)}</th><td data-name="On">${renderChainLink(bid.sourceChainId)}</td><td data-name="Bid" class="n">${bid.token ? renderAmount(bid.amountB, tokenOf(bid.token.chainId, bid.token.token)) : html`<span class="num">${String(bid.amountB)}</span> base units`}</td><td data-name="Now">${bid.isBest ? 'best' : 'outbid'}</td><td data-name="Transaction" class="minor">${renderTransactionLink(bid.bidTxHash)}</td><td data-name="Time" class="n">${renderTime(bid.bidAt)}</td></tr>`,
  )
  const table = html`<table class="cards"><caption class="sr">Bids, latest first</caption><thead><tr><th scope="col">Intent</th><th scope="col">On</th><th scope="col" class="n">Bid</th><th scope="col">Now</th><th scope="col">Transaction</th><th scope="col" class="n">Time</th></tr></thead><tbody>${rows}</tbody></table>`
  return section('bids', 'Bids', bids, rows.length > 0 ? table : null, pathOf)
}

export function deliverySection(
  { deliveries }: SolverActivity,
  tokenOf: TokenOf,
  pathOf: PathOf,
): Markup {
  const rows = deliveries.rows.map(
    (one) =>
      html`<tr data-key="${one.destChainId}:${one.chain2IntentId}"><th scope="row">${intentLink(one.intentId)}</th><td data-name="On">${renderChainLink(one.destChainId)}</td><td data-name="Delivered" class="n">${renderAmount(one.amountB, tokenOf(one.destChainId, one.tokenB))}</td><td data-name="Transaction" class="minor">${renderTransactionLink(one.solveTxHash)}</td><td data-name="Time" class="n">${renderTime(one.solvedAt)}</td></tr>`,
  )
  const table = html`<table class="cards"><caption class="sr">Deliveries, latest first</caption><thead><tr><th scope="col">For</th><th scope="col">On</th><th scope="col" class="n">Delivered</th><th scope="col">Transaction</th><th scope="col" class="n">Time</th></tr></thead><tbody>${rows}</tbody></table>`
  return section('deliveries', 'Deliveries', deliveries, rows.length > 0 ? table : null, pathOf)
}

function section(
  list: string,
  title: string,
  { next, isLater }: ListPage<unknown>,
  table: Markup | null,
  pathOf: PathOf,
): Markup {
  const isPaged = isLater || next !== null
  const words = list === 'bids' ? 'No bids.' : 'No deliveries.'
  return html`<h2 id="${list}">${title}</h2>${table ?? renderEmptyState(words)}${
    isPaged &&
    html`<nav class="pages" aria-label="Pages of ${list}">${isLater && html`<a class="button" href="${pathOf(list, null)}">Latest ${list}</a>`}${next !== null && html`<a class="button" rel="next" href="${pathOf(list, next)}">Older ${list}</a>`}</nav>`
  }`
}

function intentLink(intentId: bigint): Markup {
  const id = String(intentId)
  return html`<a class="mono" href="${PATHS.intent(id)}" title="${id}">${shortenIntentId(id)}</a>`
}
