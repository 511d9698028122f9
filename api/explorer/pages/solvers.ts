import { listSolvers } from '../../../services/store/solvers/listSolvers.ts'
import { chainsToRead } from '../../rest/readContext.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html } from '../html/html.ts'
import type { Page } from '../parts/layout.ts'
import { renderSolverTable } from '../parts/solverTable.ts'

const MOST = 100

/** `/explorer/solvers`: solvers by settled intents. */
export async function renderSolversPage(reads: ExplorerReadContext): Promise<Page> {
  await chainsToRead(reads)
  const found = await listSolvers(reads.db, 'settlements', {
    direction: 'desc',
    fromEnd: false,
    limit: MOST,
  })
  const body = html`<h1>Solvers</h1><p class="lead">Solvers bid for intents, deliver on the destination chain, and are paid once enclaves attest the delivery. A winner that doesn’t deliver loses its locked stake.</p><section id="list" data-region>${renderSolverTable(found)}</section>`
  return { title: 'Solvers', place: 'solvers', body, live: 'all' }
}
