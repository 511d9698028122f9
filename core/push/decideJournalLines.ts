import type { Transition } from './listIntentTransitions.ts'

/** A line of the journal that no reorg has revoked. */
export type CurrentLine = {
  sequence: number
  key: string
  /** Its event is no longer on its chain. */
  isGone: boolean
}

/** What to add to the journal so that it matches the chains. */
type JournalDecision<Fact> = {
  /** Lines that no longer hold: `intent.reorged` names them. */
  reverted: number[]
  /** Lines to write in this order, after the reorg's line if there was one. */
  added: Fact[]
}

/**
 * Compares an intent's or order's recorded events with those that it should have. A second run, even after a re-index,
 * finds nothing more to do.
 *
 * @param cutoff unix seconds: earlier events are too old to be recorded
 */
export function decideJournalLines<Fact extends Pick<Transition, 'key' | 'at'>>(
  facts: readonly Fact[],
  current: readonly CurrentLine[],
  cutoff: number,
): JournalDecision<Fact> {
  const now = new Set(facts.map(({ key }) => key))
  const lines = current.filter(({ key, isGone }) => now.has(key) || !isGone)
  const known = new Set(lines.map(({ key }) => key))
  return {
    reverted: current.filter((line) => !lines.includes(line)).map(({ sequence }) => sequence),
    added: facts.filter(({ key, at }) => !known.has(key) && at >= cutoff),
  }
}
