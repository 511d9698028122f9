import { orderIdRange } from '../../../core/order/apiOrderId.ts'
import { findIntentKeys } from '../../../services/store/intents/findIntent.ts'
import { AmbiguousOrderError, findOrder } from '../../../services/store/orders/findOrder.ts'
import { loadSolvers } from '../../../services/store/solvers/listSolvers.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { chainsToRead } from '../../rest/readContext.ts'
import type { ExplorerReads } from '../explorerReads.ts'
import { html } from '../html/html.ts'
import { chainText } from '../parts/chainText.ts'
import { emptyState } from '../parts/intentTable.ts'
import type { Page } from '../parts/layout.ts'
import { PATHS } from '../parts/pagePaths.ts'

/** The page that a search leads to, or one that repeats what was searched for. */
type Found = { path: string } | { page: Page }

/** `/explorer/search?q=`: an intent's or order's id, a hash, an address, a block or a symbol. */
export async function search(reads: ExplorerReads, text: string): Promise<Found> {
  const words = text.trim()
  const now = await chainsToRead(reads)
  const orders = orderIdRange(words)
  if (orders) {
    // A hash can be an order's; one order on several chains is left to the list of its owner.
    const order = await findOrder(reads.db, orders).catch((error: unknown) => {
      if (error instanceof AmbiguousOrderError) return error.candidates[0] ?? null
      throw error
    })
    if (order) return { path: PATHS.order(order.orderId, order.chainId) }
  }
  if (/^0x[0-9a-f]{64}$/i.test(words)) {
    const hash = words.toLowerCase() as Hex
    const keys = await findIntentKeys(reads.db, hash)
    // An intent's id in hex has as many digits as a hash, if somebody pads it.
    if (keys.length === 0 && (await reads.cache.candidates(BigInt(hash))).length > 0)
      return { path: PATHS.intent(BigInt(hash)) }
    return { path: PATHS.transaction(hash) }
  }
  if (/^0x[0-9a-f]{40}$/i.test(words)) {
    const [solver] = await loadSolvers(reads.db, [words.toLowerCase() as Hex])
    return { path: solver ? PATHS.solver(words) : PATHS.address(words) }
  }
  const id = numberIn(words)
  if (id !== null) {
    if ((await reads.cache.candidates(id)).length > 0) return { path: PATHS.intent(id) }
    const blocks = now.ready.filter(({ head }) => id <= BigInt(head.blockNumber))
    const [only, ...more] = blocks
    if (only && more.length === 0) return { path: PATHS.block(only.chainId, String(id)) }
    if (only)
      return {
        page: {
          title: 'Search',
          search: words,
          body: html`<h1>Block ${String(id)} of which chain?</h1><ul class="choices">${blocks.map(({ chainId }) => html`<li><a class="button" href="${PATHS.block(chainId, String(id))}">${chainText(chainId)}</a></li>`)}</ul>`,
        },
      }
  }
  if (words !== '' && words.length <= 32 && (await reads.tokens.addressesOf(words)).length > 0)
    return { path: `${PATHS.intents}?${new URLSearchParams({ tokenA: words })}` }
  return { page: nothing(words) }
}

/** An id or block number, decimal, with `#`, or in hex. */
function numberIn(words: string): bigint | null {
  const plain = words.replace(/^#/, '').replaceAll(',', '')
  return /^(\d{1,77}|0x[0-9a-f]{1,63})$/i.test(plain) ? BigInt(plain) : null
}

function nothing(words: string): Page {
  const body = html`<h1>Nothing found</h1>${emptyState(words === '' ? 'Type what you look for.' : `Nothing indexed matches “${words}”.`, html`<p class="quiet">Search by an intent’s or order’s id, a transaction hash, an address, a block number, or a token’s symbol.</p>`)}`
  return { title: 'Search', search: words, status: words === '' ? 200 : 404, body }
}
