import type { Finality } from '../../../core/intent/finality.ts'
import type { Status } from '../../../core/intent/status.ts'
import { html, type Markup } from '../html/html.ts'

/** A status as a word with a coloured shape. */
export function renderStatusMark(status: Status, note?: string): Markup {
  return html`<span class="status s-${status}"><svg class="dot" viewBox="0 0 10 10" aria-hidden="true">${SHAPES[status]}</svg>${STATUS_WORDS[status]}${note && html`<span class="note"> ${note}</span>`}</span>`
}

const DISC = html`<circle cx="5" cy="5" r="4.2"/>`
const RING = html`<circle cx="5" cy="5" r="3.4" fill="none" stroke-width="2"/>`
const CROSS = html`<path d="M2 2l6 6M8 2l-6 6" fill="none" stroke-width="2" stroke-linecap="round"/>`
const HALF = html`<circle cx="5" cy="5" r="3.7" fill="none" stroke-width="1.4"/><path d="M5 1.3a3.7 3.7 0 0 1 0 7.4z"/>`

const SHAPES: Record<Status, Markup> = {
  pending: RING,
  solving: HALF,
  settled: DISC,
  completed: html`<path d="M1.5 5.4l2.4 2.5L8.6 2.4" fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>`,
  failed: CROSS,
  expired: html`<circle cx="5" cy="5" r="4" fill="none" stroke-width="1.5"/><path d="M5 2.8v2.4l1.5 1" fill="none" stroke-width="1.3" stroke-linecap="round" stroke-linejoin="round"/>`,
  cancelled: html`<path d="M1.5 5h7" fill="none" stroke-width="2" stroke-linecap="round"/>`,
}

export const STATUS_WORDS: Record<Status, string> = {
  pending: 'Pending',
  solving: 'Solving',
  settled: 'Delivered',
  completed: 'Completed',
  failed: 'Failed',
  expired: 'Expired',
  cancelled: 'Cancelled',
}

export function renderFinalityMark(finality: Finality): Markup {
  const words = {
    latest: 'Latest: a reorg may still remove it',
    safe: 'Safe: enough blocks on top',
    finalized: 'Finalized',
  }
  return html`<span class="tag f-${finality}" title="${words[finality]}">${finality}</span>`
}
