import { listPairTotals } from '../../../services/store/pairs/listPairTotals.ts'
import { chainsToRead } from '../../rest/readContext.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html } from '../html/html.ts'
import { loadShownTokens, tokensOfPairs } from '../loadShownTokens.ts'
import { renderAmount } from '../parts/amount.ts'
import { renderEmptyState } from '../parts/emptyState.ts'
import type { Page } from '../parts/layout.ts'
import { renderRouteMark } from '../parts/pageLinks.ts'
import { PATHS } from '../parts/pagePaths.ts'
import { formatTokenName } from '../parts/tokenName.ts'

const MOST = 100
const PAGE = { direction: 'desc', fromEnd: false } as const

/** `/explorer/pairs`: pairs by completed intents. */
export async function renderPairsPage(reads: ExplorerReadContext): Promise<Page> {
  await chainsToRead(reads)
  const totals = await listPairTotals(reads.db, {}, 'completed', { ...PAGE, limit: MOST })
  const tokenOf = await loadShownTokens(reads, tokensOfPairs(totals))
  const rows = totals.map((pair) => {
    const [tokenA, tokenB] = [
      tokenOf(pair.sourceChainId, pair.tokenA),
      tokenOf(pair.destChainId, pair.tokenB),
    ]
    return html`<tr><th scope="row"><a href="${PATHS.pair(pair)}">${formatTokenName(tokenA)} → ${formatTokenName(tokenB)}</a></th><td data-name="Route">${renderRouteMark(pair.sourceChainId, pair.destChainId)}</td><td data-name="Created" class="n num">${pair.created}</td><td data-name="Completed" class="n num">${pair.completed}</td><td data-name="Volume" class="n">${renderAmount(pair.completedVolumeA, tokenA)}</td><td data-name="Fees" class="n">${renderAmount(pair.fees, tokenA)}</td></tr>`
  })
  const body = html`<h1>Pairs</h1><p class="lead">Volumes and fees are in the pair’s source token. Different tokens are never added up.</p><section id="list" data-region>${rows.length === 0 ? renderEmptyState('No intents yet.') : html`<table class="cards"><caption class="sr">Pairs by completed intents</caption><thead><tr><th scope="col">Pair</th><th scope="col">Route</th><th scope="col" class="n">Created</th><th scope="col" class="n">Completed</th><th scope="col" class="n">Volume</th><th scope="col" class="n">Fees</th></tr></thead><tbody>${rows}</tbody></table>`}</section>`
  return { title: 'Pairs', place: 'pairs', body, live: 'all' }
}
