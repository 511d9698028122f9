import type { IntentFilter, Range } from './intentFilter.ts'
import { EQUAL, RANGES, WORDS } from './intentFilter.ts'

/** What passes both filters; null where nothing can. */
export function intersectFilters(one: IntentFilter, other: IntentFilter): IntentFilter | null {
  const both: Record<string, unknown> = { ...one }
  for (const name of EQUAL) {
    if (other[name] === undefined) continue
    if (one[name] !== undefined && one[name] !== other[name]) return null
    both[name] = other[name]
  }
  for (const name of RANGES) {
    const range = overlap<number | bigint>(one[name], other[name])
    if (range) both[name] = range
  }
  for (const name of WORDS) {
    const requested: readonly string[] | undefined = other[name]
    if (requested) both[name] = one[name]?.filter((word) => requested.includes(word)) ?? requested
  }
  if (other.not) both.not = [...(one.not ?? []), ...other.not]
  return both as IntentFilter
}

function overlap<Value extends number | bigint>(
  one: Range<Value> | undefined,
  other: Range<Value> | undefined,
): Range<Value> | undefined {
  if (!one || !other) return one ?? other
  return { from: tighter(one.from, other.from, true), to: tighter(one.to, other.to, false) }
}

function tighter<Value extends number | bigint>(
  one: Value | undefined,
  other: Value | undefined,
  larger: boolean,
): Value | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one > other === larger ? one : other
}
