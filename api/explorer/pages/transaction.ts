import { listEvents } from '../../../services/store/events/listEvents.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { NotFoundError } from '../../http/apiError.ts'
import { chainsToRead } from '../../rest/readContext.ts'
import type { ExplorerReads } from '../explorerReadContext.ts'
import { html } from '../html/html.ts'
import { short } from '../parts/amount.ts'
import { blockExplorerLinks } from '../parts/blockExplorerLinks.ts'
import { eventTable } from '../parts/eventTable.ts'
import type { Page } from '../parts/layout.ts'
import { PATHS } from '../parts/pagePaths.ts'
import {
  accountLink,
  chainLink,
  copyable,
  facts,
  moment,
  outsideLink,
} from '../parts/statusMark.ts'

const MOST = 100

/** `/explorer/transaction/<hash>`: a transaction's events, on any chain. */
export async function transaction(reads: ExplorerReads, hash: Hex): Promise<Page> {
  await chainsToRead(reads)
  const events = await listEvents(reads.db, {
    filter: { transactionHash: hash },
    direction: 'asc',
    limit: MOST,
  })
  const [first] = events
  if (!first) throw new NotFoundError('no indexed event belongs to this transaction', 'NOT_FOUND')
  const links = blockExplorerLinks(reads.configured)
  const body = html`<div class="title"><h1>Transaction</h1></div><p class="id">${copyable(hash, 'transaction hash')} ${outsideLink(links.transaction(first.chainId, hash), 'block explorer')}</p>
${facts([
  ['Chain', chainLink(first.chainId)],
  [
    'Block',
    html`<a class="num" href="${PATHS.block(first.chainId, first.blockNumber)}">${first.blockNumber}</a>`,
  ],
  ['Time', moment(first.blockTimestamp)],
  ['Sent by', accountLink(first.transactionFrom)],
])}
<h2>Events</h2>${eventTable(events, links)}`
  return { title: `Transaction ${short(hash)}`, body }
}
