import { listPairTotals } from '../../../services/store/pairs/listPairTotals.ts'
import { chainsToRead } from '../../rest/readContext.ts'
import { type ExplorerReads, loadTokensShown, tokensOfPairs } from '../explorerReadContext.ts'
import { html } from '../html/html.ts'
import { amount, tokenText } from '../parts/amount.ts'
import { emptyState } from '../parts/intentTable.ts'
import type { Page } from '../parts/layout.ts'
import { PATHS } from '../parts/pagePaths.ts'
import { routeMark } from '../parts/statusMark.ts'

const MOST = 100
const PAGE = { direction: 'desc', fromEnd: false } as const

/** `/explorer/pairs`: pairs by completed intents. */
export async function pairs(reads: ExplorerReads): Promise<Page> {
  await chainsToRead(reads)
  const totals = await listPairTotals(reads.db, {}, 'completed', { ...PAGE, limit: MOST })
  const tokenOf = await loadTokensShown(reads, tokensOfPairs(totals))
  const rows = totals.map((pair) => {
    const [tokenA, tokenB] = [
      tokenOf(pair.sourceChainId, pair.tokenA),
      tokenOf(pair.destChainId, pair.tokenB),
    ]
    return html`<tr><th scope="row"><a href="${PATHS.pair(pair)}">${tokenText(tokenA)} → ${tokenText(tokenB)}</a></th><td data-name="Route">${routeMark(pair.sourceChainId, pair.destChainId)}</td><td data-name="Created" class="n num">${pair.created}</td><td data-name="Completed" class="n num">${pair.completed}</td><td data-name="Volume" class="n">${amount(pair.completedVolumeA, tokenA)}</td><td data-name="Fees" class="n">${amount(pair.fees, tokenA)}</td></tr>`
  })
  const body = html`<h1>Pairs</h1><p class="lead">Volumes and fees are in the pair’s source token. Different tokens are never added up.</p><section id="list" data-region>${rows.length === 0 ? emptyState('No intents yet.') : html`<table class="cards"><caption class="sr">Pairs by completed intents</caption><thead><tr><th scope="col">Pair</th><th scope="col">Route</th><th scope="col" class="n">Created</th><th scope="col" class="n">Completed</th><th scope="col" class="n">Volume</th><th scope="col" class="n">Fees</th></tr></thead><tbody>${rows}</tbody></table>`}</section>`
  return { title: 'Pairs', place: 'pairs', body, live: 'all' }
}
