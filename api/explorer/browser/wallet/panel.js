import { element } from '../element.js'
import { wordsOf } from './wordsOf.ts'

/** One part of a wallet's page: a heading, a place for what was found, and what is going on. */
export function panel(id, title, intro) {
  const body = element('div')
  const status = element('p', { class: 'quiet', role: 'status' })
  const root = element('section', { id, class: 'panel' }, element('h2', {}, title), element('p', { class: 'lead' }, intro), body, status)

  /** A button whose work disables the whole panel until it is done, and says how it went. */
  const button = (words, work, className = 'button') =>
    element('button', { type: 'button', class: className, click: () => act(work) }, words)

  async function act(work) {
    const buttons = [...root.querySelectorAll('button')]
    for (const one of buttons) one.disabled = true
    say('Working. Your wallet may ask you.')
    try {
      say((await work(say)) ?? '')
    } catch (error) {
      say(wordsOf(error), 'failed')
    }
    for (const one of root.querySelectorAll('button')) one.disabled = false
  }

  function say(words, tone = '') {
    status.textContent = words
    status.className = `quiet ${tone}`
  }
  return { root, body, button }
}

/** A table whose rows become cards on a phone. @param head names of the columns, the first one heads each row */
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
