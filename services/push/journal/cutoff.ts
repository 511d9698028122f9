import type { ChainState } from '../../store/chains/readChainStates.ts'

/** Days that the journal reaches back, by the chains' own time. */
export const KEPT_DAYS = 30

/** The moment, in unix seconds, before which nothing of a chain is recorded any more. */
export function cutoffOf({ head }: Pick<ChainState, 'head'>): number {
  return head.timestamp - KEPT_DAYS * 86_400
}
