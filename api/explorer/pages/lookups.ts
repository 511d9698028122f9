import { listEvents } from '../../../services/store/events/listEvents.ts'
import { countIntents } from '../../../services/store/intents/countIntents.ts'
import { listIntents } from '../../../services/store/intents/listIntents.ts'
import { countOrders } from '../../../services/store/orders/listOrders.ts'
import { loadSolvers } from '../../../services/store/solvers/loadSolvers.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { NotFoundError } from '../../http/apiError.ts'
import { checksummed } from '../../http/checksummed.ts'
import { readChains } from '../../rest/operations/chains.ts'
import { chainsToRead, requireReady } from '../../rest/relayerReads.ts'
import { type ExplorerReads, loadTokensShown, tokensOfPairs } from '../explorerReads.ts'
import { html } from '../html/html.ts'
import { amount, isVouchedFor, short, tokenName } from '../parts/amount.ts'
import { blockExplorerLinks } from '../parts/blockExplorerLinks.ts'
import { chainCards } from '../parts/chainCards.ts'
import { chainText } from '../parts/chainText.ts'
import { eventTable } from '../parts/eventTable.ts'
import { emptyState, intentTable } from '../parts/intentTable.ts'
import type { Page } from '../parts/layout.ts'
import { accountLink, chainLink, copyable, facts, moment, outsideLink } from '../parts/marks.ts'
import { PATHS } from '../parts/paths.ts'

const MOST = 100
const SHOWN = 10

/** `/explorer/transaction/<hash>`: what it did here, on any chain. */
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

/** `/explorer/block/<chain>/<number>`: what happened in it; most blocks have none of our events. */
export async function block(
  reads: ExplorerReads,
  chainId: number,
  blockNumber: number,
): Promise<Page> {
  const now = await chainsToRead(reads)
  requireReady(reads, now, chainId)
  const head = now.heads.get(chainId)
  if (!head) throw new NotFoundError('this chain isn’t followed here', 'NOT_FOUND')
  if (blockNumber > head.blockNumber)
    throw new NotFoundError(
      `${chainText(chainId)} is indexed up to block ${head.blockNumber}`,
      'NOT_FOUND',
    )
  const events = await listEvents(reads.db, {
    filter: { chainId, blockNumber },
    direction: 'asc',
    limit: MOST,
  })
  const [first] = events
  const links = blockExplorerLinks(reads.configured)
  const depth =
    blockNumber <= head.finalizedBlock
      ? 'finalized'
      : blockNumber <= head.safeBlock
        ? 'safe'
        : 'latest'
  const body = html`<div class="title"><h1>Block <span class="num">${blockNumber}</span></h1><span class="tag f-${depth}">${depth}</span></div>
${facts([
  [
    'Chain',
    html`${chainLink(chainId)} ${outsideLink(links.block(chainId, blockNumber), 'block explorer')}`,
  ],
  ['Time', first && moment(first.blockTimestamp)],
  ['Hash', first && copyable(first.blockHash, 'block hash', short(first.blockHash))],
  ['Indexed up to', html`<span class="num">${head.blockNumber}</span>`],
])}
<nav class="pages" aria-label="Blocks">${blockNumber > 0 && html`<a class="button" href="${PATHS.block(chainId, blockNumber - 1)}">Block before</a>`}${blockNumber < head.blockNumber && html`<a class="button" href="${PATHS.block(chainId, blockNumber + 1)}">Block after</a>`}</nav>
<h2>Events</h2>${first ? eventTable(events, links) : emptyState('No event of the bridge in this block.')}`
  return { title: `Block ${blockNumber}`, body }
}

/** `/explorer/address/<address>`: what it is here: a sender, a solver, a token, a bridge. */
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
          html`<p>${tokenName(token)} on ${chainLink(token.chainId)}${!isVouchedFor(token) && html` <span class="quiet">Nobody vouches for this name: compare the address.</span>`}</p>`,
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
          html`${chainText(chainId)} ${outsideLink(links.address(chainId, full), 'block explorer')} `,
      ),
  ],
])}
<div class="head"><h2>Intents it sent</h2>${count > 0 && html`<a href="${PATHS.intents}?sender=${full}">All</a>`}</div>${sent.length > 0 ? intentTable(sent, heads, tokenOf, 'Intents it sent') : emptyState('It has sent no intent.')}</section>`
  return { title: `Address ${short(full)}`, body, live: 'all' }
}

/** `/explorer/chains`. */
export async function chains(reads: ExplorerReads): Promise<Page> {
  const found = await readChains(reads, reads.rpc)
  const body = html`<h1>Chains</h1><p class="lead">Each chain is folded for itself. Its state hash covers every row: replay the chain from a node you trust, and compare.</p><section id="list" class="wide" data-region><h2 class="sr">State of each chain</h2>${chainCards(found)}</section>
<h2>Check it yourself</h2><ul class="commands">${found.map((chain) => chain.stateHashBlock !== null && html`<li>${copyable(`npm run replay -- --as-of ${chain.name}=${chain.stateHashBlock}`, 'command')}</li>`)}</ul>`
  return { title: 'Chains', place: 'chains', body, live: 'all' }
}

/** `/explorer/tokens`. */
export async function tokens(reads: ExplorerReads): Promise<Page> {
  await chainsToRead(reads)
  const found = await reads.tokens.list()
  const body = html`<h1>Tokens</h1><p class="lead">Names come from the operator’s configuration, else from the tokens themselves. Anybody can call a token anything: where nobody vouches for a name, it stands in quotes beside its address.</p><section id="list" data-region>${found.length === 0 ? emptyState('No token is known yet.') : html`<table class="cards"><caption class="sr">Tokens</caption><thead><tr><th scope="col">Token</th><th scope="col">Name</th><th scope="col">Chain</th><th scope="col">Address</th><th scope="col" class="n">Decimals</th><th scope="col">Bridge</th><th scope="col" class="n">Takes at least</th><th scope="col">Source</th></tr></thead><tbody>${found.map((token) => html`<tr><th scope="row">${tokenName(token)}</th><td data-name="Name"><bdi>${token.name ?? '–'}</bdi></td><td data-name="Chain">${chainLink(token.chainId)}</td><td data-name="Address">${accountLink(token.address)}</td><td data-name="Decimals" class="n num">${token.decimals ?? '–'}</td><td data-name="Bridge">${token.isListed ? 'listed' : 'not listed'}</td><td data-name="Takes at least" class="n">${token.minimum === null ? '–' : amount(token.minimum, token)}</td><td data-name="Source">${token.source ?? 'not asked yet'}</td></tr>`)}</tbody></table>`}</section>`
  return { title: 'Tokens', place: 'tokens', body }
}
