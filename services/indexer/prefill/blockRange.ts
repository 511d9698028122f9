/** Blocks `from` to `to`, both included. */
export type BlockRange = { from: number; to: number }

export function blocksIn({ from, to }: BlockRange): number {
  return Math.max(0, to - from + 1)
}

/** The parts of `whole` that no range of `covered` contains, in ascending order. */
export function uncovered(whole: BlockRange, covered: readonly BlockRange[]): BlockRange[] {
  const gaps: BlockRange[] = []
  let next = whole.from
  for (const { from, to } of [...covered].sort((a, b) => a.from - b.from)) {
    if (to < next) continue
    if (from > whole.to) break
    if (from > next) gaps.push({ from: next, to: from - 1 })
    next = to + 1
  }
  if (next <= whole.to) gaps.push({ from: next, to: whole.to })
  return gaps
}

/** The union of ranges, merged where they overlap or touch. */
export function union(ranges: readonly BlockRange[]): BlockRange[] {
  const merged: BlockRange[] = []
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last && range.from <= last.to + 1) last.to = Math.max(last.to, range.to)
    else merged.push({ ...range })
  }
  return merged
}
