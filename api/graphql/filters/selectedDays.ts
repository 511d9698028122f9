import type { Filter } from '../../../services/store/database/filterSql.ts'
import type { Range } from '../../../services/store/intents/intentFilter.ts'
import type { Pair, PairDayFilter } from '../../../services/store/pairs/pairFilter.ts'

/** Days in a row, both ends among them; open where an end is absent. */
export type DayRange = Range<number>

type Closed = readonly [from: number, to: number]

const EVER: Closed = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
/** 1970-01-01 and 9999-12-31: no event is on another day. */
const POSSIBLE: Closed = [0, 2_932_896]

/** The days of a pair that filters select, earliest first: the range of a sum. */
export function selectedDays(pair: Pair, filters: readonly Filter<PairDayFilter>[]): DayRange[] {
  return joined(filters.flatMap((filter) => selected(pair, filter)))
    .filter(([from, to]) => from <= POSSIBLE[1] && to >= POSSIBLE[0])
    .map(([from, to]) => ({
      from: from === EVER[0] ? undefined : from,
      to: to === EVER[1] ? undefined : to,
    }))
}

function selected(pair: Pair, filter: Filter<PairDayFilter>): Closed[] {
  const { day, and = [], not = [] } = filter
  if (!names(pair, filter)) return []
  const beside = and.map((one) => selected(pair, one))
  const own: Closed[] = [[day?.from ?? EVER[0], day?.to ?? EVER[1]]]
  const left = not.flatMap((one) => selected(pair, one))
  return beside.reduce(common, own).flatMap((range) => left.reduce(cut, [range]))
}

function names(pair: Pair, filter: PairDayFilter): boolean {
  return (['sourceChainId', 'destChainId', 'tokenA', 'tokenB'] as const).every((name) => {
    const values = filter[`${name}In`] as readonly unknown[] | undefined
    return (filter[name] ?? pair[name]) === pair[name] && (values?.includes(pair[name]) ?? true)
  })
}

function common(some: readonly Closed[], others: readonly Closed[]): Closed[] {
  return some.flatMap(([from, to]) =>
    others.map((other): Closed => [Math.max(from, other[0]), Math.min(to, other[1])]).filter(isAny),
  )
}

function cut(ranges: readonly Closed[], [from, to]: Closed): Closed[] {
  return ranges.flatMap((range): Closed[] =>
    [
      [range[0], Math.min(range[1], from - 1)] as const,
      [Math.max(range[0], to + 1), range[1]] as const,
    ].filter(isAny),
  )
}

/** Overlapping and adjacent ranges as one. */
function joined(ranges: readonly Closed[]): Closed[] {
  const found: Closed[] = []
  for (const [from, to] of ranges.filter(isAny).toSorted((a, b) => (a[0] < b[0] ? -1 : 1))) {
    const last = found.at(-1)
    if (last && from <= last[1] + 1) found[found.length - 1] = [last[0], Math.max(last[1], to)]
    else found.push([from, to])
  }
  return found
}

function isAny([from, to]: Closed): boolean {
  return from <= to
}
