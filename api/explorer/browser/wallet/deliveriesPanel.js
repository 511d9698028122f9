import { isAddress } from 'viem'
import { shortenHex } from '../../parts/shortenHex.ts'
import { formatChainName } from '../../parts/formatChainName.ts'
import { PATHS } from '../../parts/pagePaths.ts'
import { copyable, element } from '../element.js'
import { formatTokenAmount } from './formatTokenAmount.ts'
import { cards, panel } from './panel.js'

const INTRO = 'Your wallet signs a message to prove that it is yours; this moves no funds. Each delivery is in its own Safe.'

/** The wallet's deliveries: its Safes, their keys, and a way to empty them. */
export function deliveriesPanel({ session, tokens }) {
  const { root, body, button } = panel('deliveries', 'Deliveries', INTRO)
  const to = element('input', { id: 'sweep-to', size: '44', spellcheck: 'false', autocomplete: 'off', value: session.address })

  const show = async () => {
    const entries = await session.deliveries()
    body.replaceChildren(...(entries.length === 0 ? nothing() : list(entries)))
  }

  const nothing = () => [
    element('p', {}, 'No deliveries to this wallet yet. Once you register it, each payment goes to a fresh Safe that outsiders can’t link to it.'),
    element('div', { class: 'pages' }, button('Register this wallet', register, 'button strong'), button('Refresh', show)),
  ]

  const register = async () => {
    await session.register()
    return 'This wallet is registered.'
  }

  const list = (entries) => [
    element('div', { class: 'filters' }, element('label', {}, 'Withdraw to', to), button('Refresh', show)),
    element('p', { class: 'quiet' }, 'Anyone can see where a Safe’s money goes. By default it goes to this wallet.'),
    cards('Deliveries', ['Intent', 'Chain', 'Safe', 'Balance', 'Actions'], entries.toReversed().map(row)),
  ]

  const row = (entry) => {
    const { chainId, intentId, safeAddress, balances } = entry
    const held = balances.filter(({ isListed, balance }) => isListed && balance > 0n)
    const amounts = held.map(({ token, balance }) => formatTokenAmount(tokens, { chainId, token, amount: balance }))
    const actions = element('div', { class: 'actions' })
    if (held.length > 0) actions.append(button('Withdraw', (say) => withdraw(entry, say), 'button strong'))
    actions.append(button('Show key', () => showKey(entry, actions)))
    const intent = element('a', { class: 'num', href: PATHS.intent(intentId) }, `#${intentId & ((1n << 64n) - 1n)}`)
    const inIt = amounts.length > 0 ? amounts.join(', ') : entry.swept ? 'withdrawn' : 'nothing yet'
    return { key: safeAddress, cells: [intent, formatChainName(chainId), copyable(safeAddress, 'Safe address', shortenHex(safeAddress)), inIt, actions] }
  }

  const withdraw = async (entry, say) => {
    const target = to.value.trim()
    if (!isAddress(target)) throw new Error('“Withdraw to” isn’t an address')
    say('Emptying the Safe: your wallet signs twice, the relayer pays the gas.')
    const { moved, left, txHash } = await session.withdraw(entry, target)
    await show()
    const amounts = (some) => some.map(({ token, amount }) => formatTokenAmount(tokens, { chainId: entry.chainId, token, amount })).join(', ')
    if (txHash === null) return 'This Safe is empty.'
    const rest = left.length === 0 ? '' : ` ${amounts(left)} stayed, because its token refuses for now.`
    return `${amounts(moved)} went to ${shortenHex(target)} by ${txHash}.${rest}`
  }

  const showKey = async (entry, actions) => {
    const key = await session.key(entry)
    const shown = element('p', { class: 'stealth-key' }, copyable(key, 'the Safe’s key'))
    const hide = element('button', { type: 'button', class: 'button', click: () => shown.remove() }, 'Hide')
    shown.append(hide)
    actions.querySelector('.stealth-key')?.remove()
    actions.append(shown)
    return 'Anyone with this key controls the Safe.'
  }

  body.append(button('Show my deliveries', show, 'button strong'))
  return root
}
