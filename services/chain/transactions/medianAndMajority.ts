type Amount = bigint | number

/** The median; the lower of two middle values. A minority of liars can't move it beyond the honest values. */
export function findLowerMedian<Value extends Amount>(values: readonly Value[]): Value {
  return ascending(values)[Math.floor((values.length - 1) / 2)] as Value
}

/** The median; the higher of two middle values. */
export function findUpperMedian<Value extends Amount>(values: readonly Value[]): Value {
  return ascending(values)[Math.floor(values.length / 2)] as Value
}

function ascending<Value extends Amount>(values: readonly Value[]): Value[] {
  return [...values].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0))
}

/** The most frequent answer; in a tie, the first. Answers with the same key are the same. */
export function findMostFrequent<Answer>(
  answers: readonly Answer[],
  keyOf: (answer: Answer) => string,
): Answer | undefined {
  const groups = [...Map.groupBy(answers, keyOf).values()]
  return groups.toSorted((one, other) => other.length - one.length)[0]?.[0]
}

/** The answer that more than half give; null if there is none. Answers with the same key are the same. */
export function findMajority<Answer>(
  answers: readonly Answer[],
  keyOf: (answer: Answer) => string,
): Answer | null {
  const groups = [...Map.groupBy(answers, keyOf).values()]
  const [first] = groups.find((group) => 2 * group.length > answers.length) ?? []
  return first ?? null
}
