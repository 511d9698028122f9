import { everyPart, type Filter } from '../../../services/store/database/filterSql.ts'
import type { Range } from '../../../services/store/intents/intentFilter.ts'
import { PAIR, type Pair, type PairDayFilter } from '../../../services/store/pairs/pairFilter.ts'

/** Consecutive days, both ends included. An absent end is open. */
export type DayRange = Range<number>

/** 9999-12-31; day 0 is 1970-01-01. All events lie between the two. */
const LAST_DAY = 2_932_896

/** The days over which filters sum a pair, as separate ranges, earliest first. */
export function toDayRanges(pair: Pair, filters: readonly Filter<PairDayFilter>[]): DayRange[] {
  const ranges: { from: number; to: number }[] = []
  const starts = boundariesOf(filters)
  for (const [index, from] of starts.entries()) {
    if (!filters.some((filter) => passes(pair, filter, from))) continue
    const to = (starts[index + 1] ?? Infinity) - 1
    const last = ranges.at(-1)
    if (last && last.to === from - 1) last.to = to
    else ranges.push({ from, to })
  }
  return ranges
    .filter(({ from, to }) => from <= LAST_DAY && to >= 0)
    .map(({ from, to }) => ({
      from: from === -Infinity ? undefined : from,
      to: to === Infinity ? undefined : to,
    }))
}

/** The days at which filters may start or stop to match. */
function boundariesOf(filters: readonly Filter<PairDayFilter>[]): number[] {
  const days = everyPart(filters).flatMap(({ day: { from = -Infinity, to = Infinity } = {} }) => [
    from,
    to + 1,
  ])
  return [...new Set([-Infinity, ...days])].filter((day) => day < Infinity).sort((a, b) => a - b)
}

function passes(pair: Pair, filter: Filter<PairDayFilter>, day: number): boolean {
  const { day: { from = -Infinity, to = Infinity } = {}, and = [], not = [] } = filter
  return (
    isOfPair(pair, filter) &&
    day >= from &&
    day <= to &&
    and.every((one) => passes(pair, one, day)) &&
    !not.some((one) => passes(pair, one, day))
  )
}

function isOfPair(pair: Pair, filter: PairDayFilter): boolean {
  return PAIR.every((name) => {
    const values = filter[`${name}In`] as readonly unknown[] | undefined
    return (filter[name] ?? pair[name]) === pair[name] && (values?.includes(pair[name]) ?? true)
  })
}
