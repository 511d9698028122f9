import type { SolverTotals } from '../../../services/store/solvers/listSolvers.ts'
import { html, type Markup } from '../html/html.ts'
import { renderEmptyState } from './emptyState.ts'
import { renderAccountLink } from './pageLinks.ts'
import { PATHS } from './pagePaths.ts'
import { renderTime } from './timesAndDurations.ts'

/** Solvers as rows. @param isShort only the columns that fit beside other content */
export function renderSolverTable(solvers: readonly SolverTotals[], isShort = false): Markup {
  if (solvers.length === 0) return renderEmptyState('No solvers yet.')
  return html`<table class="${isShort ? '' : 'cards'}"><caption class="sr">Solvers by settled intents</caption><thead><tr><th scope="col">Solver</th><th scope="col" class="n">Settled</th>${!isShort && html`<th scope="col" class="n">Won</th><th scope="col" class="n">Bids</th>`}<th scope="col" class="n">Reliability</th>${!isShort && html`<th scope="col" class="n">Not delivered</th><th scope="col" class="n">Not deposited</th><th scope="col" class="n">Last seen</th>`}</tr></thead><tbody>${solvers.map((one) => html`<tr data-key="${one.solver}"><th scope="row">${renderAccountLink(one.solver, PATHS.solver)}</th><td data-name="Settled" class="n num">${one.settlements}</td>${!isShort && html`<td data-name="Won" class="n num">${one.wins}</td><td data-name="Bids" class="n num">${one.bids}</td>`}<td data-name="Reliability" class="n num">${reliability(one)}</td>${!isShort && html`<td data-name="Not delivered" class="n num">${one.failures}</td><td data-name="Not deposited" class="n num">${one.noShows}</td><td data-name="Last seen" class="n">${renderTime(one.lastSeen)}</td>`}</tr>`)}</tbody></table>`
}

/** The share of settled intents among those that the solver settled or failed. */
export function reliability({ settlements, failures, noShows }: SolverTotals): string {
  const ended = settlements + failures + noShows
  return ended === 0 ? '–' : `${((100 * settlements) / ended).toFixed(1)} %`
}
