import { listEvents } from '../../../services/store/events/listEvents.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { NotFoundError } from '../../http/apiError.ts'
import { chainsToRead } from '../../rest/readContext.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html } from '../html/html.ts'
import { createBlockExplorerLinks } from '../parts/blockExplorerLinks.ts'
import { renderCopyableText } from '../parts/copyableText.ts'
import { renderEventTable } from '../parts/eventTable.ts'
import { renderFactList } from '../parts/factList.ts'
import type { Page } from '../parts/layout.ts'
import { renderAccountLink, renderChainLink, renderOutsideLink } from '../parts/pageLinks.ts'
import { PATHS } from '../parts/pagePaths.ts'
import { shortenHex } from '../parts/shortenHex.ts'
import { renderTime } from '../parts/timesAndDurations.ts'

const MOST = 100

/** `/explorer/transaction/<hash>`: a transaction's events, on any chain. */
export async function renderTransactionPage(reads: ExplorerReadContext, hash: Hex): Promise<Page> {
  await chainsToRead(reads)
  const events = await listEvents(reads.db, {
    filter: { transactionHash: hash },
    direction: 'asc',
    limit: MOST,
  })
  const [first] = events
  if (!first) throw new NotFoundError('no indexed event belongs to this transaction', 'NOT_FOUND')
  const links = createBlockExplorerLinks(reads.configured)
  const body = html`<div class="title"><h1>Transaction</h1></div><p class="id">${renderCopyableText(hash, 'transaction hash')} ${renderOutsideLink(links.transaction(first.chainId, hash))}</p>
${renderFactList([
  ['Chain', renderChainLink(first.chainId)],
  [
    'Block',
    html`<a class="num" href="${PATHS.block(first.chainId, first.blockNumber)}">${first.blockNumber}</a>`,
  ],
  ['Time', renderTime(first.blockTimestamp)],
  ['Sent by', renderAccountLink(first.transactionFrom)],
])}
<h2>Events</h2>${renderEventTable(events, links)}`
  return { title: `Transaction ${shortenHex(hash)}`, body }
}
