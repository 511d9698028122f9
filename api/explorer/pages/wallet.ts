import type { ExplorerReads } from '../explorerReads.ts'
import { html } from '../html/html.ts'
import { isVouchedFor } from '../parts/amount.ts'
import { emptyState } from '../parts/intentTable.ts'
import type { Page } from '../parts/layout.ts'
import { facts } from '../parts/marks.ts'

/** `/explorer/wallet`: what its reader's own wallet has got and ordered. The page itself is the same for everybody. */
export async function wallet(reads: ExplorerReads): Promise<Page> {
  const chains = reads.configured.map(({ name, chainId, bridge, vault = null }) => ({
    ...{ name, chainId, bridge, vault },
  }))
  const tokens = (await reads.tokens.list())
    .filter(isVouchedFor)
    .map(({ chainId, address, symbol, decimals }) => ({ chainId, address, symbol, decimals }))
  const body = html`<h1>Wallet</h1><p class="lead">What was delivered to your wallet, and the orders that it placed. Keys, signatures and Safes stay in this page’s memory and are gone when you leave it.</p>
<section id="wallet" class="wallet" data-chains="${JSON.stringify(chains)}" data-tokens="${JSON.stringify(tokens)}"><h2 class="sr">Your wallet</h2><div class="run"><button type="button" class="button strong" data-run hidden>Connect a wallet</button></div></section>
<noscript>${emptyState('A wallet can only be connected with JavaScript. The SDK and cairn-sweep do the same without this page.')}</noscript>
<section class="columns"><div><h2>What this server learns</h2>${facts([
    ['By connecting', 'nothing'],
    ['By your deliveries', 'your wallet’s address, and its signature'],
    ['By a key or a sweep', 'which Safe, by two more signatures'],
    ['By your orders', 'your wallet’s address'],
  ])}</div><div><h2>What everybody sees</h2>${facts([
    ['Of a delivery', 'that somebody was paid at a Safe'],
    ['Of a sweep', 'where the Safe’s money went'],
    ['Of an order', 'its owner, amounts and tranches'],
    ['Of a cancellation', 'your transaction'],
  ])}</div></section>`
  return { title: 'Wallet', place: 'wallet', body, script: 'wallet.js' }
}
