import { html, type Markup, type Value } from '../html/html.ts'

/** A list of terms and their values; entries without a value are left out. */
export function renderFactList(
  entries: readonly (readonly [term: string, value: Value])[],
): Markup {
  const shown = entries.filter(
    ([, value]) => value !== null && value !== undefined && value !== false,
  )
  return html`<dl class="facts">${shown.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`
}
