import { saturatingAdd } from '../money/saturatingAdd.ts'
import { type CompletionTimes, withTime } from './completionTimes.ts'

/** What an event adds to a row's counts and amounts. */
export type CountsDelta<Counts> = Partial<Omit<Counts, 'completionTimes'>> & {
  /** Seconds from creation to settlement of an intent that is now completed. */
  completionSeconds?: number
}

/** A row with what is added to the fields of the same names: counts as they are, amounts up to their column's most. */
export function addCounts<Counts extends { completionTimes: CompletionTimes }, Row extends Counts>(
  row: Row,
  { completionSeconds, ...delta }: CountsDelta<Counts>,
): Row {
  const sum = { ...row } as Record<string, unknown>
  for (const [name, more] of Object.entries(delta)) {
    const known = sum[name]
    if (typeof known === 'bigint') sum[name] = saturatingAdd(known, more as bigint)
    else if (typeof known === 'number') sum[name] = known + (more as number)
  }
  if (completionSeconds !== undefined)
    sum.completionTimes = withTime(row.completionTimes, completionSeconds)
  return sum as Row
}
