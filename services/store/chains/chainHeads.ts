import type { ChainClock } from '../../../core/intent/clocks.ts'

/** The state of a chain's index: its clock, and which blocks are deep enough to stay. */
export type ChainHead = ChainClock & {
  safeBlock: number
  finalizedBlock: number
  /** Seconds, if the bridge's terms are known: with it the search for running auctions is bounded. */
  pickupWindow?: number
  /** Seconds, likewise: without it no refund of a winner's intent is due. */
  settlementGrace?: number
}

/** Heads by chain id; serves as the `Clocks` of `status` and the marks of `finality` alike. */
export type ChainHeads = ReadonlyMap<number, ChainHead>
