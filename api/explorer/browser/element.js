/**
 * Creates an element. Children given as text are never parsed as markup.
 *
 * @param {string} name
 * @param {Record<string, string | boolean | (() => void)>} [given] attributes, and a click handler
 * @param {...(Node | string | null)} children
 */
export function element(name, given = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(given)) {
    if (key === 'click') made.addEventListener('click', value)
    else if (value === true) made.setAttribute(key, '')
    else if (value !== false) made.setAttribute(key, value)
  }
  made.append(...children.filter((child) => child !== null))
  return made
}

/** Long or exact text with the explorer's copy button. */
export function copyable(text, what, shown = text) {
  const mono = element('span', { class: 'mono', title: text }, shown)
  const button = element('button', {
    type: 'button',
    class: 'copy',
    'data-copy': text,
    'aria-label': `Copy ${what}`,
    hidden: !navigator.clipboard,
  })
  button.append(copyIcon())
  return element('span', { class: 'hash' }, mono, button)
}

const SVG = 'http://www.w3.org/2000/svg'

function copyIcon() {
  const icon = document.createElementNS(SVG, 'svg')
  icon.setAttribute('viewBox', '0 0 16 16')
  icon.setAttribute('aria-hidden', 'true')
  for (const drawn of ['M5.5 5.5h8v8h-8z', 'M10.5 5.5V2.5h-8v8h3']) {
    const path = document.createElementNS(SVG, 'path')
    path.setAttribute('d', drawn)
    icon.append(path)
  }
  return icon
}
