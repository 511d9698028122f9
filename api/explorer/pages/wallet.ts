import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html } from '../html/html.ts'
import { renderEmptyState } from '../parts/emptyState.ts'
import { renderFactList } from '../parts/factList.ts'
import type { Page } from '../parts/layout.ts'
import { isVouchedFor } from '../parts/tokenName.ts'

/** `/explorer/wallet`: the reader's deliveries and orders, loaded in the browser. The server sends everyone the same page. */
export async function renderWalletPage(reads: ExplorerReadContext): Promise<Page> {
  const chains = reads.configured.map(({ name, chainId, bridge, vault = null, safe }) => ({
    name,
    chainId,
    bridge,
    vault,
    multiSendCallOnly: safe?.multiSendCallOnly,
  }))
  const tokens = (await reads.tokens.list())
    .filter(isVouchedFor)
    .map(({ chainId, address, symbol, decimals }) => ({ chainId, address, symbol, decimals }))
  const body = html`<h1>Wallet</h1><p class="lead">Your wallet’s deliveries and scheduled orders. Keys, signatures and Safes stay in this page’s memory and are gone when you leave.</p>
<section id="wallet" class="wallet" data-chains="${JSON.stringify(chains)}" data-tokens="${JSON.stringify(tokens)}"><h2 class="sr">Your wallet</h2><div class="run"><button type="button" class="button strong" data-run hidden>Connect a wallet</button></div></section>
<noscript>${renderEmptyState('Connecting a wallet needs JavaScript. The SDK and cairn-sweep do the same without this page.')}</noscript>
<section class="columns"><div><h2>What this server learns</h2>${renderFactList([
    ['When you connect', 'nothing'],
    ['From your deliveries', 'your wallet’s address and signature'],
    ['From a key or a withdrawal', 'which Safe, and two more signatures'],
    ['From your orders', 'your wallet’s address'],
  ])}</div><div><h2>What everyone sees</h2>${renderFactList([
    ['In a delivery', 'that someone was paid at a Safe'],
    ['In a withdrawal', 'where the Safe’s money went'],
    ['In an order', 'its owner, amounts and tranches'],
    ['In a cancellation', 'your transaction'],
  ])}</div></section>`
  return { title: 'Wallet', place: 'wallet', body, script: 'wallet.js' }
}
