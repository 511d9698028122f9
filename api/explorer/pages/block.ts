import { listEvents } from '../../../services/store/events/listEvents.ts'
import { NotFoundError } from '../../http/apiError.ts'
import { chainsToRead, requireReady } from '../../rest/readContext.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html } from '../html/html.ts'
import { createBlockExplorerLinks } from '../parts/blockExplorerLinks.ts'
import { renderCopyableText } from '../parts/copyableText.ts'
import { renderEmptyState } from '../parts/emptyState.ts'
import { renderEventTable } from '../parts/eventTable.ts'
import { renderFactList } from '../parts/factList.ts'
import { formatChainName } from '../parts/formatChainName.ts'
import type { Page } from '../parts/layout.ts'
import { renderChainLink, renderOutsideLink } from '../parts/pageLinks.ts'
import { PATHS } from '../parts/pagePaths.ts'
import { shortenHex } from '../parts/shortenHex.ts'
import { renderTime } from '../parts/timesAndDurations.ts'

const MOST = 100

/** `/explorer/block/<chain>/<number>`: the bridge's events in a block. Most blocks have none. */
export async function renderBlockPage(
  reads: ExplorerReadContext,
  chainId: number,
  blockNumber: number,
): Promise<Page> {
  const now = await chainsToRead(reads)
  requireReady(reads, now, chainId)
  const head = now.heads.get(chainId)
  if (!head) throw new NotFoundError('this chain isn’t followed here', 'NOT_FOUND')
  if (blockNumber > head.blockNumber)
    throw new NotFoundError(
      `${formatChainName(chainId)} is indexed up to block ${head.blockNumber}`,
      'NOT_FOUND',
    )
  const events = await listEvents(reads.db, {
    filter: { chainId, blockNumber },
    direction: 'asc',
    limit: MOST,
  })
  const [first] = events
  const links = createBlockExplorerLinks(reads.configured)
  const depth =
    blockNumber <= head.finalizedBlock
      ? 'finalized'
      : blockNumber <= head.safeBlock
        ? 'safe'
        : 'latest'
  const body = html`<div class="title"><h1>Block <span class="num">${blockNumber}</span></h1><span class="tag f-${depth}">${depth}</span></div>
${renderFactList([
  [
    'Chain',
    html`${renderChainLink(chainId)} ${renderOutsideLink(links.block(chainId, blockNumber))}`,
  ],
  ['Time', first && renderTime(first.blockTimestamp)],
  ['Hash', first && renderCopyableText(first.blockHash, 'block hash', shortenHex(first.blockHash))],
  ['Indexed up to', html`<span class="num">${head.blockNumber}</span>`],
])}
<nav class="pages" aria-label="Blocks">${blockNumber > 0 && html`<a class="button" href="${PATHS.block(chainId, blockNumber - 1)}">Previous block</a>`}${blockNumber < head.blockNumber && html`<a class="button" href="${PATHS.block(chainId, blockNumber + 1)}">Next block</a>`}</nav>
<h2>Events</h2>${first ? renderEventTable(events, links) : renderEmptyState('No bridge events in this block.')}`
  return { title: `Block ${blockNumber}`, body }
}
