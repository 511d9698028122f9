import './withoutEval.js'
import { formatChainName } from '../parts/formatChainName.ts'
import { copyable, element } from './element.js'
import { checkRecord } from './proof/checkRecord.ts'
import { confirmBlockByWalletNode } from './proof/confirmBlockByWalletNode.ts'
import { verifyInSteps } from './proof/verifyInSteps.ts'
import { discoverWallets } from './providers.js'

const WORDS = { waiting: 'not reached', running: 'running', passed: 'passed', failed: 'failed' }

/** Verifies the section's intent in this browser and shows each step as it runs. */
export async function run(section) {
  const list = element('ol', { class: 'checks' })
  const outcome = element('div', { class: 'outcome', role: 'status' })
  section.querySelector('.run').replaceWith(list, outcome)
  const shown = new Map()
  const onStep = (step) => {
    const item = stepItem(step)
    shown.get(step.key)?.replaceWith(item)
    if (!shown.has(step.key)) list.append(item)
    shown.set(step.key, item)
  }
  const options = { origin: location.origin, onStep }
  const verified = await verifyInSteps(BigInt(section.dataset.intent), options)
  if (verified === null) {
    outcome.append(element('p', { class: 'verdict failed' }, 'The proof doesn’t hold.'))
    outcome.append(element('p', {}, 'Don’t rely on this page for this intent.'))
    return
  }
  outcome.append(element('p', { class: 'verdict passed' }, 'Proven, provided these blocks are on their chains.'))
  outcome.after(believed(verified))
  watchRecord(outcome, verified)
}

/** The page's data is live, and the proof isn't: takes the verdict back once the record is no longer what was proven. */
function watchRecord(outcome, verified) {
  const watcher = new MutationObserver(() =>
    checkRecord(location.origin, verified).catch(() => {
      watcher.disconnect()
      const words = 'This page has changed: it shows more than was proven, or something else.'
      outcome.replaceChildren(
        element('p', { class: 'verdict failed' }, words),
        element('p', {}, 'Reload it and verify again.'),
      )
    }),
  )
  watcher.observe(document.getElementById('intent'), { childList: true })
}

function stepItem({ key, title, state, note, checks }) {
  const parts = checks.map((check) =>
    element('li', { class: check.state }, check.words, sign(check.state)),
  )
  const isShown = state !== 'waiting' && parts.length > 0
  return element(
    'li',
    { class: state, 'data-step': key },
    element('span', { class: 'step-word' }, title),
    sign(state),
    note === '' ? null : element('p', { class: 'quiet' }, note),
    isShown ? element('ul', {}, ...parts) : null,
  )
}

/** The state in words, for screen readers. */
function sign(state) {
  return element('span', { class: 'sr' }, ` (${WORDS[state]})`)
}

/** What no proof can show, and how to check it. */
function believed({ unconfirmed, bridges }) {
  const ordered = unconfirmed.toSorted((a, b) => a.chainId - b.chainId || a.blockNumber - b.blockNumber)
  const rows = ordered.map((block) => {
    const answer = element('td', {}, 'not compared yet')
    const row = element(
      'tr',
      {},
      element('th', { scope: 'row' }, formatChainName(block.chainId)),
      element('td', { class: 'n num' }, String(block.blockNumber)),
      element('td', {}, copyable(block.blockHash, 'block hash')),
      answer,
    )
    return { block, answer, row }
  })
  const head = ['Chain', 'Block', 'Hash', 'On its chain?'].map((word) =>
    element('th', { scope: 'col' }, word),
  )
  const table = element(
    'table',
    {},
    element('caption', { class: 'sr' }, 'Blocks to compare'),
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...rows.map(({ row }) => row)),
  )
  return element(
    'div',
    { class: 'believed' },
    element('h3', {}, 'What no proof can show'),
    element('p', {}, 'That these blocks are on their chains. Compare the hashes with your own source:'),
    element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Blocks to compare' }, table),
    walletButtons(rows),
    element('p', {}, 'That these contracts are the bridges. Compare them with the addresses you trust:'),
    element('ul', { class: 'commands' }, ...bridges.map(({ chainId, address }) =>
      element('li', {}, `${formatChainName(chainId)} `, copyable(address, 'bridge address')),
    )),
    element('p', { class: 'quiet' }, 'That no events were withheld. Transaction hashes and senders are not proven either: receipts don’t contain them.'),
  )
}

/** Asks the reader's own node, through the wallet: independent of this server, and no new connection for the page. */
function walletButtons(rows) {
  const buttons = element('div', { class: 'wallets' })
  const hint = element('p', { class: 'quiet', role: 'status' })
  discoverWallets(({ name, provider }) => {
    const ask = async () => {
      for (const { block, answer } of rows) {
        if (answer.className === 'passed') continue
        answer.textContent = 'asking'
        const { state, words } = await confirmBlockByWalletNode(provider, block)
        answer.textContent = words
        answer.className = state
      }
      const isElsewhere = rows.some(({ answer }) => answer.className === 'elsewhere')
      hint.textContent = isElsewhere ? 'Choose the other chain in your wallet, then ask again.' : ''
    }
    buttons.append(element('button', { type: 'button', class: 'button', click: ask }, `Ask the node of ${name}`))
  })
  return element('div', {}, buttons, hint)
}
