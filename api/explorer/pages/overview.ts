import {
  addTimes,
  countTimes,
  findPercentile,
} from '../../../core/intent/completionTimeHistogram.ts'
import {
  listChainPeriods,
  listChainTotals,
} from '../../../services/store/chains/listChainTotals.ts'
import { countStatuses } from '../../../services/store/intents/countStatuses.ts'
import { listIntents } from '../../../services/store/intents/listIntents.ts'
import { listDayTotals } from '../../../services/store/pairs/listDayTotals.ts'
import { listSolvers } from '../../../services/store/solvers/listSolvers.ts'
import { readChains } from '../../rest/operations/chainsRoute.ts'
import { chainsToRead } from '../../rest/readContext.ts'
import { compact, renderDailyBarChart } from '../charts/dailyBarChart.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html, type Markup } from '../html/html.ts'
import { loadShownTokens, tokensOfPairs } from '../loadShownTokens.ts'
import { renderChainCards } from '../parts/chainCards.ts'
import { renderEmptyState } from '../parts/emptyState.ts'
import { renderIntentTable } from '../parts/intentTable.ts'
import type { Page } from '../parts/layout.ts'
import { PATHS } from '../parts/pagePaths.ts'
import { readPairVolumes, renderPairVolumes } from '../parts/pairVolumes.ts'
import { renderSolverTable } from '../parts/solverTable.ts'
import { formatDuration } from '../parts/timesAndDurations.ts'
import { todayOf } from './pair.ts'

const DAYS = 30

/** `/`: the overview. */
export async function renderOverviewPage(reads: ExplorerReadContext): Promise<Page> {
  const now = await chainsToRead(reads)
  const { db } = reads
  const { heads } = now
  const today = todayOf(heads)
  const since = { day: { from: today - DAYS + 1 } }
  const [totals, days, running, periods, latest, solvers, volumes, chains] = await Promise.all([
    listChainTotals(db, {}),
    listDayTotals(db, since),
    countStatuses(db, heads),
    listChainPeriods(db, 'day', { start: { from: (today - 6) * 86_400 } }),
    listIntents(db, { order: { by: 'createdAt', direction: 'desc' }, limit: 8, heads }),
    listSolvers(db, 'settlements', { direction: 'desc', fromEnd: false, limit: 6 }),
    readPairVolumes(db, today, DAYS, 5),
    readChains(reads, reads.rpc),
  ])
  const tokenOf = await loadShownTokens(
    reads,
    tokensOfPairs([...latest.map(({ source }) => source), ...volumes]),
  )
  // Start at the first day with an event, but show at least a week.
  const firstDay = Math.min(Math.max(days.at(-1)?.day ?? today, today - DAYS + 1), today - 6)
  const sum = (name: 'created' | 'completed') => totals.reduce((all, one) => all + one[name], 0)
  const { pending, solving, settled } = running.value
  const age = Math.round((Date.now() - running.readAt) / 1_000)
  const times = addTimes(periods.map((one) => one.completionTimes))
  const median = findPercentile(times, 0.5)
  const body = html`<section class="hero"><h1>Every intent, from one chain to the other</h1>
<p>Who offers what, who took it, and where the money is now. Amounts and states are public; recipients are not.</p></section>
<section id="figures" class="tiles" aria-label="In figures" data-region>
${tile('Intents', figure(sum('created')), `${figure(days.find(({ day }) => day === today)?.created ?? 0)} today`)}
${tile('Completed', figure(sum('completed')), sum('created') > 0 ? `${percent(sum('completed'), sum('created'))} of all` : 'none yet')}
${tile('In progress', figure(pending + solving + settled), age < 20 ? 'pending, solving or delivered' : `counted ${formatDuration(age)} ago`)}
${tile('Median time', median === null ? '–' : formatDuration(median), median === null ? 'none yet' : `95 % within ${formatDuration(findPercentile(times, 0.95) ?? 0)}; ${figure(countTimes(times))} this week`)}
</section>
<section id="latest" data-region><div class="head"><h2>Latest intents</h2><a href="${PATHS.intents}">All intents</a></div>
${latest.length > 0 ? renderIntentTable(latest, heads, tokenOf, 'Latest intents') : renderEmptyState('No intents yet. They appear here within a second of their block.')}</section>
<section id="chains" data-region><div class="head"><h2>Chains</h2><a href="${PATHS.chains}">Details</a></div>${renderChainCards(chains, true)}</section>
<section id="days" data-region><div class="head"><h2>Outcomes by day</h2><span class="quiet">last ${today - firstDay + 1} days, UTC</span></div>${renderDailyBarChart(days, firstDay, today)}</section>
<div class="columns"><section id="volumes" data-region><div class="head"><h2>Volume by pair</h2><a href="${PATHS.pairs}">All pairs</a></div>${renderPairVolumes(volumes, tokenOf)}</section>
<section id="solvers" data-region><div class="head"><h2>Solvers</h2><a href="${PATHS.solvers}">All solvers</a></div>${renderSolverTable(solvers, true)}</section></div>`
  return { title: 'Overview', place: 'overview', body, live: 'all' }
}

function tile(name: string, value: string, note: string): Markup {
  return html`<div class="tile"><p class="name">${name}</p><p class="value num">${value}</p><p class="note">${note}</p></div>`
}

/** In full below a million, then abbreviated. */
function figure(count: number): string {
  return count < 1_000_000 ? count.toLocaleString('en') : compact(count)
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`
}
