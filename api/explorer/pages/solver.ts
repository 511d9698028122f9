import { listIntents } from '../../../services/store/intents/listIntents.ts'
import { loadSolvers, type SolverDetail } from '../../../services/store/solvers/listSolvers.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { NotFoundError } from '../../http/apiError.ts'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import { chainsToRead } from '../../rest/readContext.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html, type Markup } from '../html/html.ts'
import { loadShownTokens, type TokenOf, tokensOfPairs } from '../loadShownTokens.ts'
import { renderAmount } from '../parts/amount.ts'
import { renderCopyableText } from '../parts/copyableText.ts'
import { renderEmptyState } from '../parts/emptyState.ts'
import { renderFactList } from '../parts/factList.ts'
import { renderIntentTable } from '../parts/intentTable.ts'
import type { Page } from '../parts/layout.ts'
import { renderChainLink } from '../parts/pageLinks.ts'
import { PATHS } from '../parts/pagePaths.ts'
import { shortenHex } from '../parts/shortenHex.ts'
import { shortenIntentId } from '../parts/shortenIntentId.ts'
import { bidSection, deliverySection, readSolverActivity } from '../parts/solverActivity.ts'
import { reliability } from '../parts/solverTable.ts'
import { renderTime } from '../parts/timesAndDurations.ts'

const SHOWN = 10

/** `/explorer/solver/<address>`: a solver's record, stakes, wins, bids and deliveries. */
export async function renderSolverPage(
  reads: ExplorerReadContext,
  address: Hex,
  query: URLSearchParams,
): Promise<Page> {
  const { heads } = await chainsToRead(reads)
  const [activity, [found], won] = await Promise.all([
    readSolverActivity(reads, address, query),
    loadSolvers(reads.db, [address]),
    listIntents(reads.db, {
      filter: { solver: address },
      order: { by: 'createdAt', direction: 'desc' },
      limit: SHOWN,
      heads,
    }),
  ])
  if (!found) throw new NotFoundError('no solver has this address', 'SOLVER_NOT_FOUND')
  const tokenOf = await loadShownTokens(reads, [
    ...tokensOfPairs(won.map(({ source }) => source)),
    ...activity.tokens,
    ...found.stakes,
    ...found.volumes,
    ...found.forfeits.map(({ sourceChainId, token }) => ({ chainId: sourceChainId, token })),
  ])
  const full = toChecksumAddress(address)
  const pathOf = (list: string, cursor: string | null) => {
    const next = new URLSearchParams(query)
    if (cursor === null) next.delete(list)
    else next.set(list, cursor)
    return `${PATHS.solver(full)}${next.size > 0 ? `?${next}` : ''}#${list}`
  }
  const body = html`<section id="solver" data-region><div class="title"><h1>Solver <span class="mono">${shortenHex(full)}</span></h1></div><p class="id">${renderCopyableText(full, 'address')}</p>
<div class="tiles">${[
    ['Settled', found.settlements],
    ['Won', found.wins],
    ['Bids', found.bids],
    ['Reliability', reliability(found)],
  ].map(
    ([name, value]) =>
      html`<div class="tile"><p class="name">${name}</p><p class="value num">${value}</p></div>`,
  )}</div>
<div class="columns"><div><h2>Stakes</h2>${stakeTable(found, tokenOf)}</div><div><h2>Volume</h2>${volumeTable(found, tokenOf)}</div></div>
<div class="head"><h2>Intents it won</h2><a href="${PATHS.intents}?solver=${full}">All</a></div>${won.length > 0 ? renderIntentTable(won, heads, tokenOf, 'Intents it won') : renderEmptyState('It hasn’t won an intent yet.')}
${bidSection(activity, tokenOf, pathOf)}
${deliverySection(activity, tokenOf, pathOf)}
<h2>Forfeited stakes</h2>${forfeitTable(found, tokenOf)}
<h2>Facts</h2>${renderFactList([
    ['Deliveries', html`<span class="num">${found.deliveries}</span>`],
    ['Not delivered', html`<span class="num">${found.failures}</span>`],
    ['Not deposited', html`<span class="num">${found.noShows}</span>`],
    ['First seen', renderTime(found.firstSeen)],
    ['Last seen', renderTime(found.lastSeen)],
    [
      'Sealing keys',
      found.sealingKeys.map(({ chainId }) => html`<p>${renderChainLink(chainId)}</p>`),
    ],
  ])}</section>`
  // Only the first pages are live: updates would shift later pages under their reader.
  const live = query.size > 0 ? null : 'all'
  return { title: `Solver ${shortenHex(full)}`, place: 'solvers', body, live }
}

function stakeTable({ stakes }: SolverDetail, tokenOf: TokenOf): Markup {
  if (stakes.length === 0) return renderEmptyState('No stakes.')
  return html`<table><caption class="sr">Stakes</caption><thead><tr><th scope="col">Chain</th><th scope="col" class="n">Staked</th><th scope="col" class="n">Locked</th></tr></thead><tbody>${stakes.map(({ chainId, token, staked, locked }) => html`<tr><th scope="row">${renderChainLink(chainId)}</th><td class="n">${renderAmount(staked, tokenOf(chainId, token))}</td><td class="n">${renderAmount(locked, tokenOf(chainId, token))}</td></tr>`)}</tbody></table>`
}

function volumeTable({ volumes }: SolverDetail, tokenOf: TokenOf): Markup {
  if (volumes.length === 0) return renderEmptyState('No deliveries or payments yet.')
  return html`<table><caption class="sr">Volume by chain and token</caption><thead><tr><th scope="col">Chain</th><th scope="col" class="n">Delivered</th><th scope="col" class="n">Paid to it</th></tr></thead><tbody>${volumes.map(({ chainId, token, delivered, paidOut }) => html`<tr><th scope="row">${renderChainLink(chainId)}</th><td class="n">${renderAmount(delivered, tokenOf(chainId, token))}</td><td class="n">${renderAmount(paidOut, tokenOf(chainId, token))}</td></tr>`)}</tbody></table>`
}

function forfeitTable({ forfeits }: SolverDetail, tokenOf: TokenOf): Markup {
  if (forfeits.length === 0) return renderEmptyState('None.')
  return html`<table><caption class="sr">Forfeited stakes, latest first</caption><thead><tr><th scope="col">Intent</th><th scope="col">Why</th><th scope="col" class="n">Lost</th><th scope="col" class="n">Time</th></tr></thead><tbody>${forfeits.slice(0, SHOWN).map(({ sourceChainId, intentId, token, amount: lost, reason, forfeitedAt }) => html`<tr><th scope="row"><a class="mono" href="${PATHS.intent(intentId)}">${shortenIntentId(String(intentId))}</a></th><td>${reason === 'no_deposit' ? 'didn’t deposit' : 'didn’t deliver'}</td><td class="n">${renderAmount(lost, tokenOf(sourceChainId, token))}</td><td class="n">${renderTime(forfeitedAt)}</td></tr>`)}</tbody></table>`
}
