import { chainsToRead } from '../../rest/readContext.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html } from '../html/html.ts'
import { renderAmount } from '../parts/amount.ts'
import { renderEmptyState } from '../parts/emptyState.ts'
import type { Page } from '../parts/layout.ts'
import { renderAccountLink, renderChainLink } from '../parts/pageLinks.ts'
import { renderTokenName } from '../parts/tokenName.ts'

/** `/explorer/tokens`. */
export async function renderTokensPage(reads: ExplorerReadContext): Promise<Page> {
  await chainsToRead(reads)
  const found = await reads.tokens.list()
  const body = html`<h1>Tokens</h1><p class="lead">Names come from the operator’s configuration or, failing that, from the token’s contract. Anyone can give a token any name: names that nobody vouches for are in quotes, with the address beside them.</p><section id="list" data-region>${found.length === 0 ? renderEmptyState('No tokens known yet.') : html`<table class="cards"><caption class="sr">Tokens</caption><thead><tr><th scope="col">Token</th><th scope="col">Name</th><th scope="col">Chain</th><th scope="col">Address</th><th scope="col" class="n">Decimals</th><th scope="col">Bridge</th><th scope="col" class="n">Minimum</th><th scope="col">Source</th></tr></thead><tbody>${found.map((token) => html`<tr><th scope="row">${renderTokenName(token)}</th><td data-name="Name"><bdi>${token.name ?? '–'}</bdi></td><td data-name="Chain">${renderChainLink(token.chainId)}</td><td data-name="Address">${renderAccountLink(token.address)}</td><td data-name="Decimals" class="n num">${token.decimals ?? '–'}</td><td data-name="Bridge">${token.isListed ? 'listed' : 'not listed'}</td><td data-name="Minimum" class="n">${token.minimum === null ? '–' : renderAmount(token.minimum, token)}</td><td data-name="Source">${token.source ?? 'not read yet'}</td></tr>`)}</tbody></table>`}</section>`
  return { title: 'Tokens', place: 'tokens', body }
}
