import { short } from '../../parts/amount.ts'
import { chainText } from '../../parts/chainText.ts'
import { PATHS } from '../../parts/paths.ts'
import { element } from '../element.js'
import { amountText } from './amountText.ts'
import { cards, panel } from './panel.js'

const INTRO = 'Orders are public. To end one, your wallet tells the vault, and what is left comes back to you; no service is asked.'
const WORDS = { active: 'Active', completed: 'Completed', cancelled: 'Cancelled' }

/** How often the index is asked whether it has seen a cancellation, a second apart. */
const LOOKS = 60

/** The scheduled orders of the wallet, and the way to end them. */
export function ordersPanel({ session, tokens }) {
  const { root, body, button } = panel('orders', 'Scheduled orders', INTRO)

  const show = async () => {
    const orders = await session.orders()
    const none = element('p', {}, 'This wallet has placed no order.')
    const head = ['Order', 'Status', 'On', 'Tranches', 'Left in the vault', 'Actions']
    const list = cards('Your scheduled orders', head, orders.map(row))
    body.replaceChildren(orders.length === 0 ? none : list, element('div', { class: 'pages' }, button('Look again', async () => void (await show()))))
    return orders
  }

  const row = (order) => {
    const chainId = Number(order.sourceChainId)
    const link = element('a', { class: 'mono', href: PATHS.order(order.vaultOrderId, chainId) }, short(order.id))
    const left = amountText(tokens, { chainId, token: order.assetIn, amount: BigInt(order.amountLeft) })
    const tone = order.status === 'active' ? 'solving' : order.status
    const mark = element('span', { class: `status s-${tone}` }, WORDS[order.status])
    const words = order.status === 'active' ? 'Cancel' : 'Take back what is left'
    const actions = element('div', { class: 'actions' })
    if (!order.isClosed) actions.append(askFirst(words, order))
    const fired = `${order.tranchesFilled} of ${order.totalTranches}`
    return { key: order.id, cells: [link, mark, chainText(chainId), fired, left, actions] }
  }

  /** The first press asks, the second one does it. */
  const askFirst = (words, order) => {
    const really = button(`${words}: really`, (say) => close(order, say), 'button strong')
    return element('button', { type: 'button', class: 'button', click: ({ currentTarget }) => {
      currentTarget.replaceWith(really)
      really.focus()
    } }, words)
  }

  const close = async (order, say) => {
    const hash = await session.close(order)
    say(`Mined in ${hash}. Waiting for the index.`)
    for (let look = 0; look < LOOKS; look++) {
      const orders = await show()
      if (orders.find(({ id }) => id === order.id)?.isClosed) return `What was left is back with you, by ${hash}.`
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    return `The vault has paid you by ${hash}; the index hasn’t seen it yet.`
  }

  body.append(button('Show my orders', async () => void (await show()), 'button strong'))
  return root
}
