import type { IntentSnapshot } from './solverSnapshot.ts'

/** A decision of a round. */
export type Action = UpkeepAction | IntentAction

/** Keeps us able to bid, deposit and deliver. Amounts in base units. */
export type UpkeepAction =
  | { do: 'approve' | 'claim'; chainId: number; token: string }
  | { do: 'stake' | 'unstake'; chainId: number; token: string; amount: bigint }
  | { do: 'seal'; chainId: number }
  | BlockAction

/** Has a chain produce a block after this one, by an empty transaction. */
export type BlockAction = { do: 'block'; chainId: number; after: bigint }

export type IntentAction =
  | { do: 'bid' | 'deposit'; intent: IntentSnapshot; amountB: bigint }
  | { do: 'ask' | 'deliver' | 'settle'; intent: IntentSnapshot }

/** Why a round skips an intent that takes bids or deposits, or waits for our delivery (`loss`). */
export type SkipReason =
  | 'not_anchored'
  | 'not_confirmed'
  | 'too_early'
  | 'too_late'
  | 'delivery_too_late'
  | 'clock_behind'
  | 'pair_not_served'
  | 'not_worth_it'
  | 'sealing_key'
  | 'stake'
  | 'inventory'
  | 'exposure'
  | 'gas'
  | 'loss'

/** Our phase of an intent. */
export type SolverPhase =
  | 'bidding'
  | 'leading'
  | 'outbid'
  | 'depositing'
  | 'delivering'
  | 'settling'
  | 'missed'
  | 'over'
