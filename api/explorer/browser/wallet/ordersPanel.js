import { shortenHex } from '../../parts/shortenHex.ts'
import { formatChainName } from '../../parts/formatChainName.ts'
import { PATHS } from '../../parts/pagePaths.ts'
import { element } from '../element.js'
import { formatTokenAmount } from './formatTokenAmount.ts'
import { cards, panel } from './panel.js'

const INTRO = 'Orders are public. To cancel one, your wallet calls the vault, which returns what is left.'
const WORDS = { active: 'Active', completed: 'Completed', cancelled: 'Cancelled' }

/** How many times, a second apart, to check whether the index has seen a cancellation. */
const LOOKS = 60

/** The wallet's scheduled orders, and a way to cancel them. */
export function ordersPanel({ session, tokens }) {
  const { root, body, button } = panel('orders', 'Scheduled orders', INTRO)

  const show = async () => {
    const orders = await session.orders()
    const none = element('p', {}, 'This wallet has no orders.')
    const head = ['Order', 'Status', 'Chain', 'Tranches', 'Left in the vault', 'Actions']
    const list = cards('Your scheduled orders', head, orders.map(row))
    body.replaceChildren(orders.length === 0 ? none : list, element('div', { class: 'pages' }, button('Refresh', async () => void (await show()))))
    return orders
  }

  const row = (order) => {
    const chainId = Number(order.sourceChainId)
    const link = element('a', { class: 'mono', href: PATHS.order(order.vaultOrderId, chainId) }, shortenHex(order.id))
    const left = formatTokenAmount(tokens, { chainId, token: order.assetIn, amount: BigInt(order.amountLeft) })
    const tone = order.status === 'active' ? 'solving' : order.status
    const mark = element('span', { class: `status s-${tone}` }, WORDS[order.status])
    const words = order.status === 'active' ? 'Cancel' : 'Withdraw the rest'
    const actions = element('div', { class: 'actions' })
    if (!order.isClosed) actions.append(askFirst(words, order))
    const fired = `${order.tranchesFilled} of ${order.totalTranches}`
    return { key: order.id, cells: [link, mark, formatChainName(chainId), fired, left, actions] }
  }

  /** The first press asks for confirmation. */
  const askFirst = (words, order) => {
    const really = button(`${words}: confirm`, (say) => close(order, say), 'button strong')
    return element('button', { type: 'button', class: 'button', click: ({ currentTarget }) => {
      currentTarget.replaceWith(really)
      really.focus()
    } }, words)
  }

  const close = async (order, say) => {
    const hash = await session.close(order)
    say(`Mined: ${hash}. Waiting for the index.`)
    for (let look = 0; look < LOOKS; look++) {
      const orders = await show()
      if (orders.find(({ id }) => id === order.id)?.isClosed) return `The rest is back in your wallet: ${hash}.`
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    return `The vault paid you in ${hash}; the index hasn’t seen it yet.`
  }

  body.append(button('Show my orders', async () => void (await show()), 'button strong'))
  return root
}
