import { saturatingAdd } from '../money/saturatingAdd.ts'
import { type CompletionTimes, withTime } from './completionTimes.ts'

/** What an event adds to a row's counts and amounts. */
export type CountsDelta<Counts> = Partial<Omit<Counts, 'completionTimes'>> & {
  /** Seconds from creation to settlement of an intent that is now completed. */
  completionSeconds?: number
}

/** A row with what is added to the fields of the same names: counts as they are, amounts up to their column's most. */
export function applyCountsDelta<
  Counts extends { completionTimes: CompletionTimes },
  Row extends Counts,
>(row: Row, delta: CountsDelta<Counts>): Row {
  const sum = { ...row } as Record<string, unknown>
  const added = delta as Record<string, unknown>
  for (const name in added) {
    const known = sum[name]
    if (typeof known === 'bigint') sum[name] = saturatingAdd(known, added[name] as bigint)
    else if (typeof known === 'number') sum[name] = known + (added[name] as number)
  }
  const { completionSeconds } = delta
  if (completionSeconds !== undefined)
    sum.completionTimes = withTime(row.completionTimes, completionSeconds)
  return sum as Row
}
