import { formatUnits } from 'viem'
import { toIsoDay } from '../../http/isoDay.ts'
import type { Token } from '../../http/tokens/tokenLookup.ts'
import { html, type Markup } from '../html/html.ts'
import { renderAmount } from '../parts/amount.ts'
import { formatTokenName } from '../parts/tokenName.ts'
import { renderBar, renderDailyChart } from './dailyChart.ts'

const SCALE = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

/**
 * A token's completed volume by day as bars, and the same numbers in a table below.
 *
 * @param volumes of each day from `first`, in days since 1970, in base units
 */
export function renderDailyVolumeChart(
  volumes: readonly bigint[],
  first: number,
  token: Token,
): Markup {
  const last = first + volumes.length - 1
  const amounts = volumes.map((base) => Number(formatUnits(base, token.decimals ?? 0)))
  const unit = token.decimals === null ? 'base units of its token' : formatTokenName(token)
  const days = volumes.map((base, index) => ({ day: toIsoDay(first + index), base }))
  const chart = renderDailyChart({
    first,
    last,
    most: Math.max(...amounts) || 1,
    scale: (value) => SCALE.format(value),
    label: `Completed volume by day in ${unit}, from ${toIsoDay(first)} to ${toIsoDay(last)}; the table below has the numbers`,
    draw: (place) =>
      html`${amounts.map((amount, index) => amount > 0 && html`<g><title>${days[index]?.day}: ${SCALE.format(amount)} ${unit}</title>${renderBar('k-volume', place, index, [0, amount])}</g>`)}`,
  })
  return html`<figure class="chart">
${chart}
<figcaption class="quiet">In ${unit}</figcaption>
<details id="volumes-table"><summary>The numbers as a table</summary><div class="scroll" tabindex="0" role="region" aria-label="Volume by day"><table><thead><tr><th scope="col">Day</th><th scope="col" class="n">Completed volume</th></tr></thead><tbody>${days.toReversed().map(({ day, base }) => html`<tr><th scope="row">${day}</th><td class="n">${renderAmount(base, token)}</td></tr>`)}</tbody></table></div></details>
</figure>`
}
