import { readChains } from '../../rest/operations/chainsRoute.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html } from '../html/html.ts'
import { renderChainCards } from '../parts/chainCards.ts'
import { renderCopyableText } from '../parts/copyableText.ts'
import type { Page } from '../parts/layout.ts'

/** `/explorer/chains`. */
export async function renderChainsPage(reads: ExplorerReadContext): Promise<Page> {
  const found = await readChains(reads, reads.rpc)
  const body = html`<h1>Chains</h1><p class="lead">Cairn indexes each chain separately. Its state hash covers every row: replay the chain from a node you trust, and compare.</p><section id="list" class="wide" data-region><h2 class="sr">State of each chain</h2>${renderChainCards(found)}</section>
<section id="commands" data-region><h2>Check it yourself</h2><ul class="commands">${found.map((chain) => chain.stateHashBlock !== null && html`<li>${renderCopyableText(`npm run replay -- --as-of ${chain.name}=${chain.stateHashBlock}`, 'command')}</li>`)}</ul></section>`
  return { title: 'Chains', place: 'chains', body, live: 'all' }
}
