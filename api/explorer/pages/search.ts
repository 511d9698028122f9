import { parseOrderId } from '../../../core/order/apiOrderId.ts'
import { findIntentKeys } from '../../../services/store/intents/intentLookup.ts'
import { AmbiguousOrderError, findOrder } from '../../../services/store/orders/findOrder.ts'
import { loadSolvers } from '../../../services/store/solvers/listSolvers.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { chainsToRead } from '../../rest/readContext.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html } from '../html/html.ts'
import { renderEmptyState } from '../parts/emptyState.ts'
import { formatChainName } from '../parts/formatChainName.ts'
import type { Page } from '../parts/layout.ts'
import { PATHS } from '../parts/pagePaths.ts'

/** Where a search leads: to a path, or to a page about the search. */
type SearchResult = { path: string } | { page: Page }

/** `/explorer/search?q=`: an intent's or order's id, a hash, an address, a block or a symbol. */
export async function findSearchResult(
  reads: ExplorerReadContext,
  text: string,
): Promise<SearchResult> {
  const words = text.trim()
  const now = await chainsToRead(reads)
  const orders = parseOrderId(words)
  if (orders) {
    // A hash may be an order's id. Of one order on several chains any will do: its owner's list has the others.
    const order = await findOrder(reads.db, orders).catch((error: unknown) => {
      if (error instanceof AmbiguousOrderError) return error.candidates[0] ?? null
      throw error
    })
    if (order) return { path: PATHS.order(order.orderId, order.chainId) }
  }
  if (/^0x[0-9a-f]{64}$/i.test(words)) {
    const hash = words.toLowerCase() as Hex
    const keys = await findIntentKeys(reads.db, hash)
    // A padded intent id in hex is as long as a hash.
    if (keys.length === 0 && (await reads.cache.candidates(BigInt(hash))).length > 0)
      return { path: PATHS.intent(BigInt(hash)) }
    return { path: PATHS.transaction(hash) }
  }
  if (/^0x[0-9a-f]{40}$/i.test(words)) {
    const [solver] = await loadSolvers(reads.db, [words.toLowerCase() as Hex])
    return { path: solver ? PATHS.solver(words) : PATHS.address(words) }
  }
  const id = parseNumber(words)
  if (id !== null) {
    if ((await reads.cache.candidates(id)).length > 0) return { path: PATHS.intent(id) }
    const chains = now.ready.filter(({ head }) => id <= BigInt(head.blockNumber))
    const [first] = chains
    if (first && chains.length === 1) return { path: PATHS.block(first.chainId, String(id)) }
    if (first)
      return {
        page: {
          title: 'Search',
          search: words,
          body: html`<h1>Block ${String(id)} of which chain?</h1><ul class="choices">${chains.map(({ chainId }) => html`<li><a class="button" href="${PATHS.block(chainId, String(id))}">${formatChainName(chainId)}</a></li>`)}</ul>`,
        },
      }
  }
  if (words !== '' && words.length <= 32 && (await reads.tokens.addressesOf(words)).length > 0)
    return { path: `${PATHS.intents}?${new URLSearchParams({ tokenA: words })}` }
  return { page: noResults(words) }
}

/** An id or block number, decimal, with `#`, or in hex. */
function parseNumber(words: string): bigint | null {
  const plain = words.replace(/^#/, '').replaceAll(',', '')
  return /^(\d{1,77}|0x[0-9a-f]{1,63})$/i.test(plain) ? BigInt(plain) : null
}

function noResults(words: string): Page {
  const body = html`<h1>Nothing found</h1>${renderEmptyState(words === '' ? 'Type what you are looking for.' : `Nothing indexed matches “${words}”.`, html`<p class="quiet">Search by an intent’s or order’s id, a transaction hash, an address, a block number, or a token’s symbol.</p>`)}`
  return { title: 'Search', search: words, status: words === '' ? 200 : 404, body }
}
