/** A value with its weight. */
export type Weighted<Value> = { value: Value; weight: bigint }

/**
 * The smallest value that, together with all smaller ones, has `percent` of the total weight; null if there are no
 * values. To move it past a value, someone must add more weight than there is on that value's other side.
 *
 * @param compare below zero when the first value is the smaller
 * @param percent above 0, at most 100
 */
export function findWeightedQuantile<Value>(
  items: readonly Weighted<Value>[],
  compare: (one: Value, other: Value) => number,
  percent: number,
): Value | null {
  const whole = items.reduce((sum, { weight }) => sum + weight, 0n)
  const needed = whole * BigInt(percent)
  let reached = 0n
  for (const { value, weight } of items.toSorted((a, b) => compare(a.value, b.value))) {
    reached += weight
    if (reached * 100n >= needed) return value
  }
  return null
}
