import type { Transition } from './transitionsOf.ts'

/** A line of the journal that still stands. */
export type CurrentLine = {
  sequence: number
  key: string
  /** What it tells of is on its chain no more. */
  isGone: boolean
}

/** How the journal has to go on, so that it says what the chains say. */
export type JournalDecision<Fact> = {
  /** Lines that no longer hold: `intent.reorged` names them. */
  reverted: number[]
  /** To be written, in this order, after the reorg if there was one. */
  added: Fact[]
}

/**
 * Compares what was told of an intent or order with what there is to tell. Whoever runs it twice, or after
 * a re-index, finds nothing left to do.
 *
 * @param horizon unix seconds: what happened before is too old to be told
 */
export function decideLines<Fact extends Pick<Transition, 'key' | 'at'>>(
  facts: readonly Fact[],
  current: readonly CurrentLine[],
  horizon: number,
): JournalDecision<Fact> {
  const now = new Set(facts.map(({ key }) => key))
  const lines = current.filter(({ key, isGone }) => now.has(key) || !isGone)
  const known = new Set(lines.map(({ key }) => key))
  return {
    reverted: current.filter((line) => !lines.includes(line)).map(({ sequence }) => sequence),
    added: facts.filter(({ key, at }) => !known.has(key) && at >= horizon),
  }
}
