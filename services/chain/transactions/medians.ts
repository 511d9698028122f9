type Amount = bigint | number

/** The middle one; of two in the middle the lower. A minority of liars can't put it beyond what others say. */
export function lowerMedian<Value extends Amount>(values: readonly Value[]): Value {
  return ascending(values)[Math.floor((values.length - 1) / 2)] as Value
}

/** The middle one; of two in the middle the higher. */
export function upperMedian<Value extends Amount>(values: readonly Value[]): Value {
  return ascending(values)[Math.floor(values.length / 2)] as Value
}

function ascending<Value extends Amount>(values: readonly Value[]): Value[] {
  return [...values].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0))
}
