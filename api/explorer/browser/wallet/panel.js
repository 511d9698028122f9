import { element } from '../element.js'
import { describeWalletError } from './describeWalletError.ts'

/** One panel of the wallet page: heading, results and status. */
export function panel(id, title, intro) {
  const body = element('div')
  const status = element('p', { class: 'quiet', role: 'status' })
  const root = element('section', { id, class: 'panel' }, element('h2', {}, title), element('p', { class: 'lead' }, intro), body, status)

  /** A button that disables the panel while its work runs, then reports the result. */
  const button = (words, work, className = 'button') =>
    element('button', { type: 'button', class: className, click: () => act(work) }, words)

  async function act(work) {
    const buttons = [...root.querySelectorAll('button')]
    for (const one of buttons) one.disabled = true
    say('Working. Your wallet may ask you to confirm.')
    try {
      say((await work(say)) ?? '')
    } catch (error) {
      say(describeWalletError(error), 'failed')
    }
    for (const one of root.querySelectorAll('button')) one.disabled = false
  }

  function say(words, tone = '') {
    status.textContent = words
    status.className = `quiet ${tone}`
  }
  return { root, body, button }
}

/** A table whose rows become cards on a phone. @param head column names; the first column heads each row */
export function cards(caption, head, rows) {
  const titles = head.map((word) => element('th', { scope: 'col' }, word))
  return element(
    'table',
    { class: 'cards' },
    element('caption', { class: 'sr' }, caption),
    element('thead', {}, element('tr', {}, ...titles)),
    element('tbody', {}, ...rows.map(({ key, cells: [first, ...others] }) =>
      element(
        'tr',
        { 'data-key': key },
        element('th', { scope: 'row' }, first),
        ...others.map((cell, index) => element('td', { 'data-name': head[index + 1] }, ...[cell].flat())),
      ),
    )),
  )
}
