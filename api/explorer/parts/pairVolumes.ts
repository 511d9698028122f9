import type { Db } from '../../../services/store/database/openDatabase.ts'
import { listPairTotals, type PairTotal } from '../../../services/store/pairs/listPairTotals.ts'
import { PAIR_DAYS } from '../../../services/store/pairs/pairPeriods.ts'
import type { PairDayRow } from '../../../src/projection/rowTypes.ts'
import { sparkBars } from '../charts/dailyBarChart.ts'
import { html, type Markup } from '../html/html.ts'
import type { TokenOf } from '../loadShownTokens.ts'
import { renderAmount } from './amount.ts'
import { renderEmptyState } from './emptyState.ts'
import { formatPriceNote, formatUsdBeside } from './formatUsd.ts'
import { renderRouteMark } from './pageLinks.ts'
import { PATHS } from './pagePaths.ts'
import { formatTokenName } from './tokenName.ts'

/** A pair's totals over some days, and its completed volume on each. */
type PairVolume = PairTotal & { days: bigint[] }

/** The pairs with the most completed intents over the days that end today. */
export async function readPairVolumes(
  db: Db,
  today: number,
  days: number,
  limit: number,
): Promise<PairVolume[]> {
  const day = { from: today - days + 1, to: today }
  const page = { direction: 'desc', fromEnd: false } as const
  const totals = await listPairTotals(db, { day }, 'completed', { ...page, limit })
  return Promise.all(
    totals.map(async (total) => {
      const { sourceChainId, destChainId, tokenA, tokenB } = total
      const filter = { sourceChainId, destChainId, tokenA, tokenB, day }
      const rows = await PAIR_DAYS.list(db, filter, { ...page, limit: days })
      return { ...total, days: volumesByDay(rows, day.from, days) }
    }),
  )
}

/** Completed volume of each day; 0 for days without a row. */
export function volumesByDay(rows: readonly PairDayRow[], first: number, days: number): bigint[] {
  const byDay = new Map(rows.map((row) => [row.day, row.completedVolumeA]))
  return Array.from({ length: days }, (_, index) => byDay.get(first + index) ?? 0n)
}

/** Pairs with their volumes, each in its source token: different tokens don't add up. */
export function renderPairVolumes(pairs: readonly PairVolume[], tokenOf: TokenOf): Markup {
  if (pairs.length === 0) return renderEmptyState('No intents completed in this period.')
  return html`<ul class="pairs">${pairs.map((pair) => {
    const tokenA = tokenOf(pair.sourceChainId, pair.tokenA)
    const tokenB = tokenOf(pair.destChainId, pair.tokenB)
    const name = `${formatTokenName(tokenA)} → ${formatTokenName(tokenB)}`
    return html`<li><div><a class="name" href="${PATHS.pair(pair)}">${name}</a>${renderRouteMark(pair.sourceChainId, pair.destChainId)}</div>${sparkBars(pair.days.map(Number), `Volume of ${name} by day`)}<div class="n">${renderAmount(pair.completedVolumeA, tokenA)}${formatUsdBeside(pair.completedVolumeA, tokenA)}<span class="quiet num">${pair.completed} completed</span></div></li>`
  })}</ul>${formatPriceNote(pairs.map((pair) => tokenOf(pair.sourceChainId, pair.tokenA)))}`
}
