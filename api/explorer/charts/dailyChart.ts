import { toIsoDay } from '../../http/isoDay.ts'
import { html, type Markup } from '../html/html.ts'

/** What a chart shows of some days, whatever its size. */
type DailyChart = {
  /** First and last day, in days since 1970. */
  first: number
  last: number
  /** The largest value: the scale ends at the next round number. */
  most: number
  scale: (value: number) => string
  /** What the chart shows, for readers who don't see it. */
  label: string
  draw: (place: Place) => Markup
}

/** Where things go in a chart. */
export type Place = {
  /** Left edge of a day's column, by its position from `first`. */
  left: (index: number) => number
  /** Width of a column. */
  step: number
  /** Height of a value. */
  y: (value: number) => number
}

/** Sizes at which letters are legible: drawn for a desk, and for a phone. A style sheet shows one of them. */
const SIZES = [
  { name: 'wide', width: 960, height: 220, left: 52, days: 8 },
  { name: 'narrow', width: 340, height: 190, left: 40, days: 4 },
] as const

const BOTTOM = 24
const TOP = 10

/** A chart by day with its scale and its days, for wide and for narrow screens. */
export function renderDailyChart(chart: DailyChart): Markup {
  return html`${SIZES.map((size) => drawAt(size, chart))}`
}

function drawAt(
  { name, width, height, left, days }: (typeof SIZES)[number],
  { first, last, most, scale, label, draw }: DailyChart,
): Markup {
  const count = last - first + 1
  const top = niceCeiling(most)
  const step = (width - left) / count
  const y = (value: number) => round(height - BOTTOM - (value / top) * (height - BOTTOM - TOP))
  const shown = Array.from({ length: count }, (_, index) => index).filter(
    (index) => index % Math.ceil(count / days) === 0,
  )
  return html`<svg class="${name}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
${[0, 0.5, 1].map((share) => html`<line class="grid" x1="${left}" x2="${width}" y1="${y(top * share)}" y2="${y(top * share)}"/><text class="axis" x="${left - 8}" y="${y(top * share) + 4}" text-anchor="end">${scale(top * share)}</text>`)}
${draw({ left: (index) => left + index * step, step, y })}
${shown.map((index) => html`<text class="axis" x="${round(left + (index + 0.5) * step)}" y="${height - 6}" text-anchor="middle">${toIsoDay(first + index).slice(5)}</text>`)}
</svg>`
}

/** A bar of a chart, with a gap to those beside it. */
export function renderBar(
  name: string,
  { left, step, y }: Place,
  index: number,
  [from, to]: readonly [number, number],
): Markup {
  const [top, bottom] = [y(to), y(from)]
  return html`<rect class="${name}" x="${round(left(index) + step * 0.14)}" width="${round(step * 0.72)}" y="${top}" height="${round(bottom - top)}"/>`
}

/** The next of 1, 2, 4, 5, 8, 10 times a power of ten. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 5, 8].find((one) => one * power >= value) ?? 10) * power
}

export function round(value: number): number {
  return Math.round(value * 100) / 100
}
