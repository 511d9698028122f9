import './withoutEval.js'
import { shortenHex } from '../parts/shortenHex.ts'
import { element } from './element.js'
import { discoverWallets } from './providers.js'
import { connectWallet } from './wallet/connectWallet.ts'
import { deliveriesPanel } from './wallet/deliveriesPanel.js'
import { ordersPanel } from './wallet/ordersPanel.js'
import { describeWalletError } from './wallet/describeWalletError.ts'

/** Milliseconds to wait for wallets before the page says that there is none. */
const PATIENCE = 500

/** Shows the browser's wallets, and the chosen one's deliveries and orders. */
export function run(section) {
  const chains = JSON.parse(section.dataset.chains)
  const tokens = JSON.parse(section.dataset.tokens)
  const place = section.querySelector('.run')
  const status = element('p', { class: 'quiet', role: 'status' })
  const wallets = element('div', { class: 'wallets' })
  place.replaceChildren(wallets, status)

  const shown = element('div', { class: 'connected' })
  section.append(shown)

  /** A wallet's data lives only in these elements and their handlers: removing them drops it. */
  const forget = () => {
    shown.replaceChildren()
    wallets.hidden = false
    status.textContent = ''
  }
  const connect = async ({ name, provider }) => {
    status.textContent = `Waiting for ${name}.`
    try {
      const session = await connectWallet(provider, { origin: location.origin, chains })
      provider.on?.('accountsChanged', forget)
      status.textContent = ''
      wallets.hidden = true
      const leave = element('button', { type: 'button', class: 'button', click: forget }, 'Disconnect')
      const who = element('p', {}, `${name}: `, element('span', { class: 'mono', title: session.address }, shortenHex(session.address)))
      const scene = { session, tokens, origin: location.origin }
      shown.replaceChildren(element('div', { class: 'head' }, who, leave), deliveriesPanel(scene), ordersPanel(scene))
    } catch (error) {
      status.textContent = describeWalletError(error)
    }
  }
  discoverWallets((wallet) => {
    status.textContent = ''
    const click = () => connect(wallet)
    wallets.append(element('button', { type: 'button', class: 'button strong', click }, `Connect ${wallet.name}`))
  })
  setTimeout(() => {
    if (wallets.childElementCount === 0)
      status.textContent = 'No wallet found (EIP-6963). Install or unlock one, then reload this page.'
  }, PATIENCE)
  // A page that the browser caches for its back button would keep the keys too.
  addEventListener('pagehide', forget)
}
