import type { DayTotal } from '../../../services/store/pairs/listDayTotals.ts'
import { toIsoDay } from '../../http/isoDay.ts'
import { html, type Markup } from '../html/html.ts'
import { type Place, renderBar, renderDailyChart, round } from './dailyChart.ts'

/** Intents' outcomes, in the order in which bars are stacked. */
const SERIES = [
  ['completed', 'Completed'],
  ['failed', 'Failed'],
  ['expired', 'Expired'],
  ['cancelled', 'Cancelled'],
] as const

/**
 * Outcomes by day as stacked bars, with created intents as a line, and the same numbers in a table below.
 *
 * @param first first day shown, in days since 1970, like `last`
 */
export function renderDailyBarChart(
  days: readonly DayTotal[],
  first: number,
  last: number,
): Markup {
  const byDay = new Map(days.map((one) => [one.day, one]))
  const all = Array.from(
    { length: last - first + 1 },
    (_, index) => byDay.get(first + index) ?? empty(first + index),
  )
  const chart = renderDailyChart({
    first,
    last,
    most: Math.max(1, ...all.map((one) => Math.max(ended(one), one.created))),
    scale: compact,
    label: `Intents by outcome and day, from ${toIsoDay(first)} to ${toIsoDay(last)}; the table below has the numbers`,
    draw: (place) => {
      const { left, step, y } = place
      const line = all.map((one, index) => `${round(left(index) + 0.5 * step)},${y(one.created)}`)
      return html`${all.map((one, index) => dayBar(one, index, place))}
<polyline class="line" points="${line.join(' ')}"/>`
    },
  })
  return html`<figure class="chart">
${chart}
<figcaption><ul class="legend">${SERIES.map(([name, word]) => html`<li><span class="key k-${name}"></span>${word}</li>`)}<li><span class="key k-created"></span>Created</li></ul></figcaption>
<details id="days-table"><summary>The numbers as a table</summary><div class="scroll" tabindex="0" role="region" aria-label="Intents by day"><table><thead><tr><th scope="col">Day</th><th scope="col" class="n">Created</th>${SERIES.map(([, word]) => html`<th scope="col" class="n">${word}</th>`)}</tr></thead><tbody>${all.toReversed().map((one) => html`<tr><th scope="row">${toIsoDay(one.day)}</th><td class="n">${one.created}</td>${SERIES.map(([name]) => html`<td class="n">${one[name]}</td>`)}</tr>`)}</tbody></table></div></details>
</figure>`
}

function dayBar(one: DayTotal, index: number, place: Place): Markup {
  let below = 0
  const title = `${toIsoDay(one.day)}: ${one.created} created, ${SERIES.map(([name, word]) => `${one[name]} ${word.toLowerCase()}`).join(', ')}`
  const parts = SERIES.map(([name]) => {
    const from = below
    below += one[name]
    return one[name] > 0 && renderBar(`k-${name}`, place, index, [from, below])
  })
  return html`<g><title>${title}</title>${parts}</g>`
}

export function sparkBars(values: readonly number[], label: string): Markup {
  const most = Math.max(...values, 0)
  const width = 4
  return html`<svg class="spark" viewBox="0 0 ${values.length * width} 28" preserveAspectRatio="none" role="img" aria-label="${label}">${values.map(
    (value, index) => {
      const height = most === 0 ? 0 : Math.max(value > 0 ? 1.5 : 0, (value / most) * 27)
      return html`<rect x="${index * width + 0.5}" width="${width - 1}" y="${round(28 - Math.max(height, 0.6))}" height="${round(Math.max(height, 0.6))}" ${value === 0 && html`class="none"`}/>`
    },
  )}</svg>`
}

function ended({ completed, failed, expired, cancelled }: DayTotal): number {
  return completed + failed + expired + cancelled
}

function empty(day: number): DayTotal {
  return { day, created: 0, bids: 0, completed: 0, cancelled: 0, expired: 0, failed: 0 }
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export function compact(value: number): string {
  return COMPACT.format(value)
}
