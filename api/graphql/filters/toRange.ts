import type { Range } from '../../../services/store/intents/intentFilter.ts'

/** A comparison from GraphQL. Null counts as absent. */
export type Comparison<Value> = {
  eq?: Value | null | undefined
  gt?: Value | null | undefined
  gte?: Value | null | undefined
  lt?: Value | null | undefined
  lte?: Value | null | undefined
}

/** A comparison of integers as an inclusive range; undefined if it has no condition. */
export function toRange<Value extends number | bigint>(
  comparison: Comparison<Value> | null | undefined,
): Range<Value> | undefined {
  if (comparison == null) return undefined
  const { eq, gt, gte, lt, lte } = comparison
  const from = extreme([eq, gte, shifted(gt, 1)], (a, b) => a > b)
  const to = extreme([eq, lte, shifted(lt, -1)], (a, b) => a < b)
  return from === undefined && to === undefined ? undefined : { from, to }
}

function shifted<Value extends number | bigint>(
  value: Value | null | undefined,
  by: 1 | -1,
): Value | undefined {
  if (value == null) return undefined
  return (typeof value === 'bigint' ? value + BigInt(by) : Number(value) + by) as Value
}

function extreme<Value>(
  values: readonly (Value | null | undefined)[],
  isTighter: (a: Value, b: Value) => boolean,
): Value | undefined {
  return values
    .filter((value): value is Value & {} => value != null)
    .reduce<Value | undefined>(
      (best, value) => (best === undefined || isTighter(value, best) ? value : best),
      undefined,
    )
}
