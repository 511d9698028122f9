import { html, type Markup } from '../html/html.ts'
import { shortenHex } from './shortenHex.ts'

export function renderCopyableText(text: string, what: string, shown = text): Markup {
  return html`<span class="hash"><span class="mono" title="${text}">${shown}</span>${renderCopyButton(text, what)}</span>`
}

/** A button that copies a text. Hidden until the page's script, without which it doesn't work, shows it. */
export function renderCopyButton(text: string, what: string): Markup {
  return html`<button type="button" class="copy" hidden data-copy="${text}" aria-label="Copy ${what} ${shortenHex(text)}"><svg viewBox="0 0 16 16" aria-hidden="true"><rect x="5.5" y="5.5" width="8" height="8" rx="1.6"/><path d="M10.5 3.2A1.2 1.2 0 0 0 9.3 2.5H4A1.5 1.5 0 0 0 2.5 4v5.3c0 .5.3 1 .7 1.2"/></svg></button>`
}
