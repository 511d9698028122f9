/** An answer that more than half of them give; null when there is none. */
export function majority<Answer>(
  answers: readonly Answer[],
  wordOf: (answer: Answer) => string,
): Answer | null {
  const groups = [...Map.groupBy(answers, wordOf).values()]
  const [first] = groups.find((group) => 2 * group.length > answers.length) ?? []
  return first ?? null
}
