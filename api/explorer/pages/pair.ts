import type { ChainHeads } from '../../../services/store/chains/readChainStates.ts'
import { listIntents } from '../../../services/store/intents/listIntents.ts'
import { listDayTotals } from '../../../services/store/pairs/listDayTotals.ts'
import { listPairTotals } from '../../../services/store/pairs/listPairTotals.ts'
import type { Pair } from '../../../services/store/pairs/pairFilter.ts'
import { PAIR_DAYS } from '../../../services/store/pairs/pairPeriods.ts'
import { ROUTES } from '../../../services/store/pairs/routes.ts'
import { NotFoundError } from '../../http/apiError.ts'
import { toIsoDay } from '../../http/isoDay.ts'
import { chainsToRead } from '../../rest/readContext.ts'
import { renderDailyBarChart } from '../charts/dailyBarChart.ts'
import { renderDailyVolumeChart } from '../charts/dailyVolumeChart.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html } from '../html/html.ts'
import { loadShownTokens, tokensOfPairs } from '../loadShownTokens.ts'
import { renderAmount } from '../parts/amount.ts'
import { renderIntentTable } from '../parts/intentTable.ts'
import type { Page } from '../parts/layout.ts'
import { renderChainLink } from '../parts/pageLinks.ts'
import { PATHS } from '../parts/pagePaths.ts'
import { volumesByDay } from '../parts/pairVolumes.ts'
import { formatTokenName, renderTokenName } from '../parts/tokenName.ts'

const DAYS = 30
const PAGE = { direction: 'desc', fromEnd: false } as const

/** `/explorer/pair/<source>/<destination>/<tokenA>/<tokenB>`. */
export async function renderPairPage(reads: ExplorerReadContext, key: Pair): Promise<Page> {
  const { heads } = await chainsToRead(reads)
  const today = todayOf(heads)
  const day = { from: today - DAYS + 1, to: today }
  const filter = { ...key, day }
  const [[total], [route], days, rows, latest] = await Promise.all([
    listPairTotals(reads.db, key, 'pair', { ...PAGE, limit: 1 }),
    ROUTES.list(reads.db, key, { ...PAGE, limit: 1 }),
    listDayTotals(reads.db, filter),
    PAIR_DAYS.list(reads.db, filter, { ...PAGE, limit: DAYS }),
    listIntents(reads.db, {
      filter: key,
      order: { by: 'createdAt', direction: 'desc' },
      limit: 10,
      heads,
    }),
  ])
  if (!total) throw new NotFoundError('no intent has used this pair', 'NOT_FOUND')
  const tokenOf = await loadShownTokens(reads, tokensOfPairs([key]))
  const [tokenA, tokenB] = [
    tokenOf(key.sourceChainId, key.tokenA),
    tokenOf(key.destChainId, key.tokenB),
  ]
  const title = `${formatTokenName(tokenA)} → ${formatTokenName(tokenB)}`
  const body = html`<section id="pair" data-region><div class="title"><h1>${title}</h1>${route && html`<span class="tag">${route.isOpen ? 'open' : 'closed'}</span>`}</div>
<p class="lead">${renderTokenName(tokenA)} on ${renderChainLink(key.sourceChainId)} for ${renderTokenName(tokenB)} on ${renderChainLink(key.destChainId)}</p>
<div class="tiles"><div class="tile"><p class="name">Completed</p><p class="value num">${total.completed}</p><p class="note">of ${total.created} created</p></div><div class="tile"><p class="name">Volume</p><p class="value">${renderAmount(total.completedVolumeA, tokenA)}</p><p class="note">since ${toIsoDay(total.firstDay)}</p></div><div class="tile"><p class="name">Fees</p><p class="value">${renderAmount(total.fees, tokenA)}</p></div>${route?.minEscrow != null && route.maxEscrow != null && html`<div class="tile"><p class="name">Limits</p><p class="value small">${renderAmount(route.minEscrow, tokenA)}</p><p class="note">to ${renderAmount(route.maxEscrow, tokenA)}</p></div>`}</div>
<h2>Volume by day</h2>${renderDailyVolumeChart(volumesByDay(rows, day.from, DAYS), day.from, tokenA)}
<h2>Outcomes by day</h2>${renderDailyBarChart(days, day.from, today)}
<div class="head"><h2>Latest intents</h2><a href="${PATHS.intents}?${String(new URLSearchParams({ sourceChainId: String(key.sourceChainId), destChainId: String(key.destChainId), tokenA: key.tokenA, tokenB: key.tokenB }))}">All</a></div>${renderIntentTable(latest, heads, tokenOf, 'Latest intents of the pair')}</section>`
  return { title, place: 'pairs', body, live: 'all' }
}

/** The UTC day of the newest indexed block, in days since 1970. */
export function todayOf(heads: ChainHeads): number {
  return Math.floor(Math.max(...[...heads.values()].map(({ timestamp }) => timestamp)) / 86_400)
}
