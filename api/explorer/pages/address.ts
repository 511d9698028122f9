import { countIntents } from '../../../services/store/intents/countIntents.ts'
import { listIntents } from '../../../services/store/intents/listIntents.ts'
import { countOrders } from '../../../services/store/orders/listOrders.ts'
import { loadSolvers } from '../../../services/store/solvers/listSolvers.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { checksummed } from '../../http/checksummedAddress.ts'
import { chainsToRead } from '../../rest/readContext.ts'
import { type ExplorerReads, loadTokensShown, tokensOfPairs } from '../explorerReadContext.ts'
import { html } from '../html/html.ts'
import { isVouchedFor, short, tokenName } from '../parts/amount.ts'
import { blockExplorerLinks } from '../parts/blockExplorerLinks.ts'
import { chainDisplayName } from '../parts/chainDisplayName.ts'
import { emptyState, intentTable } from '../parts/intentTable.ts'
import type { Page } from '../parts/layout.ts'
import { PATHS } from '../parts/pagePaths.ts'
import { chainLink, copyable, facts, outsideLink } from '../parts/statusMark.ts'

const SHOWN = 10

/** `/explorer/address/<address>`: an address as a sender, solver, token or bridge. */
export async function address(reads: ExplorerReads, account: Hex): Promise<Page> {
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
    countOrders(reads.db, { owner: account }, heads),
  ])
  const full = checksummed(account)
  const asToken = tokens.filter((token) => token.address === account)
  const asBridge = reads.configured.filter(({ bridge }) => bridge.toLowerCase() === account)
  const tokenOf = await loadTokensShown(reads, tokensOfPairs(sent.map(({ source }) => source)))
  const links = blockExplorerLinks(reads.configured)
  const body = html`<section id="address" data-region><div class="title"><h1>Address</h1>${asToken.length > 0 && html`<span class="tag">token</span>`}${solver && html`<span class="tag">solver</span>`}${asBridge.length > 0 && html`<span class="tag">bridge</span>`}</div><p class="id">${copyable(full, 'address')}</p>
${facts([
  [
    'Token',
    asToken.length > 0 &&
      asToken.map(
        (token) =>
          html`<p>${tokenName(token)} on ${chainLink(token.chainId)}${!isVouchedFor(token) && html` <span class="quiet">Unverified name: compare the address.</span>`}</p>`,
      ),
  ],
  ['Bridge on', asBridge.length > 0 && asBridge.map(({ chainId }) => html`${chainLink(chainId)} `)],
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
          html`${chainDisplayName(chainId)} ${outsideLink(links.address(chainId, full), 'block explorer')} `,
      ),
  ],
])}
<div class="head"><h2>Intents it sent</h2>${count > 0 && html`<a href="${PATHS.intents}?sender=${full}">All</a>`}</div>${sent.length > 0 ? intentTable(sent, heads, tokenOf, 'Intents it sent') : emptyState('It has sent no intents.')}</section>`
  return { title: `Address ${short(full)}`, body, live: 'all' }
}
