import { countIntents } from '../../../services/store/intents/countIntents.ts'
import { listIntents } from '../../../services/store/intents/listIntents.ts'
import { ORDERS } from '../../../services/store/orders/scheduledOrders.ts'
import { loadSolvers } from '../../../services/store/solvers/listSolvers.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import { chainsToRead } from '../../rest/readContext.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html } from '../html/html.ts'
import { loadShownTokens, tokensOfPairs } from '../loadShownTokens.ts'
import { createBlockExplorerLinks } from '../parts/blockExplorerLinks.ts'
import { renderCopyableText } from '../parts/copyableText.ts'
import { renderEmptyState } from '../parts/emptyState.ts'
import { renderFactList } from '../parts/factList.ts'
import { formatChainName } from '../parts/formatChainName.ts'
import { renderIntentTable } from '../parts/intentTable.ts'
import type { Page } from '../parts/layout.ts'
import { renderChainLink, renderOutsideLink } from '../parts/pageLinks.ts'
import { PATHS } from '../parts/pagePaths.ts'
import { shortenHex } from '../parts/shortenHex.ts'
import { isVouchedFor, renderTokenName } from '../parts/tokenName.ts'

const SHOWN = 10

/** `/explorer/address/<address>`: an address as a sender, solver, token or bridge. */
export async function renderAddressPage(reads: ExplorerReadContext, account: Hex): Promise<Page> {
  const { heads } = await chainsToRead(reads)
  const [sent, count, [solver], tokens, orderCount] = await Promise.all([
    listIntents(reads.db, {
      filter: { sender: account },
      order: { by: 'createdAt', direction: 'desc' },
      limit: SHOWN,
      heads,
    }),
    countIntents(reads.db, { sender: account }, heads),
    loadSolvers(reads.db, [account]),
    reads.tokens.list(),
    ORDERS.count(reads.db, { filter: { owner: account }, heads }),
  ])
  const full = toChecksumAddress(account)
  const asToken = tokens.filter((token) => token.address === account)
  const asBridge = reads.configured.filter(({ bridge }) => bridge.toLowerCase() === account)
  const tokenOf = await loadShownTokens(reads, tokensOfPairs(sent.map(({ source }) => source)))
  const links = createBlockExplorerLinks(reads.configured)
  const body = html`<section id="address" data-region><div class="title"><h1>Address</h1>${asToken.length > 0 && html`<span class="tag">token</span>`}${solver && html`<span class="tag">solver</span>`}${asBridge.length > 0 && html`<span class="tag">bridge</span>`}</div><p class="id">${renderCopyableText(full, 'address')}</p>
${renderFactList([
  [
    'Token',
    asToken.length > 0 &&
      asToken.map(
        (token) =>
          html`<p>${renderTokenName(token)} on ${renderChainLink(token.chainId)}${!isVouchedFor(token) && html` <span class="quiet">Unverified name: compare the address.</span>`}</p>`,
      ),
  ],
  [
    'Bridge on',
    asBridge.length > 0 && asBridge.map(({ chainId }) => html`${renderChainLink(chainId)} `),
  ],
  [
    'Solver',
    solver && html`<a href="${PATHS.solver(full)}">${solver.settlements} intents settled</a>`,
  ],
  ['Intents sent', html`<span class="num">${count}</span>`],
  [
    'Scheduled orders',
    orderCount > 0 && html`<a class="num" href="${PATHS.orders}?owner=${full}">${orderCount}</a>`,
  ],
  [
    'On block explorers',
    reads.configured.some(({ blockExplorer }) => blockExplorer?.address) &&
      reads.configured.map(
        ({ chainId }) =>
          links.address(chainId, full) &&
          html`${formatChainName(chainId)} ${renderOutsideLink(links.address(chainId, full))} `,
      ),
  ],
])}
<div class="head"><h2>Intents it sent</h2>${count > 0 && html`<a href="${PATHS.intents}?sender=${full}">All</a>`}</div>${sent.length > 0 ? renderIntentTable(sent, heads, tokenOf, 'Intents it sent') : renderEmptyState('It has sent no intents.')}</section>`
  return { title: `Address ${shortenHex(full)}`, body, live: 'all' }
}
