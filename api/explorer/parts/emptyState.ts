import { html, type Markup } from '../html/html.ts'

/** What a page shows in place of an empty list. @param next what the reader can do */
export function renderEmptyState(words: string, next: Markup | null = null): Markup {
  return html`<div class="empty"><svg viewBox="0 0 48 48" aria-hidden="true"><ellipse cx="24" cy="38" rx="16" ry="6"/><ellipse cx="22" cy="26" rx="10" ry="4.5"/></svg><p>${words}</p>${next}</div>`
}
