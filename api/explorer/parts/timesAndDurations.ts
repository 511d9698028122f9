import { toIsoTime } from '../../http/isoTime.ts'
import { html, type Markup } from '../html/html.ts'

/** A time that is always shown exactly. */
export function renderExactTime(at: string): Markup {
  return html`<span class="num">${readable(at)}</span>`
}

/** A time that the page's script shows relative to now. */
export function renderTime(at: number | string): Markup {
  const iso = typeof at === 'number' ? toIsoTime(at) : at
  return html`<time datetime="${iso}" title="${readable(iso)} UTC">${readable(iso)}</time>`
}

/** `2026-01-31 12:00:00` */
function readable(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ')
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** A duration in its two largest units, without zeros: `2 min 5 s`, `1 h`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds)
  const first = UNITS.findIndex(([, size]) => whole >= size)
  let rest = whole
  const parts = UNITS.slice(first, first + 2).flatMap(([unit, size]) => {
    const count = Math.floor(rest / size)
    rest %= size
    return count > 0 ? [`${count} ${unit}`] : []
  })
  return parts.join(' ') || '0 s'
}
