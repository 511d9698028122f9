import type { SeenIntent } from './snapshot.ts'

/** What to do now. */
export type Action = UpkeepAction | IntentAction

/** What keeps us able to bid and deliver. Amounts in base units. */
export type UpkeepAction =
  | { do: 'approve' | 'claim'; chainId: number; token: string }
  | { do: 'stake' | 'unstake'; chainId: number; token: string; amount: bigint }
  | { do: 'seal'; chainId: number }

/** What to do about an intent. */
export type IntentAction =
  | { do: 'bid' | 'deposit'; intent: SeenIntent; amountB: bigint }
  | { do: 'ask' | 'deliver' | 'settle'; intent: SeenIntent }

/** Why an intent that could be served is left alone. */
export type PassReason =
  | 'not_anchored'
  | 'not_deep'
  | 'too_early'
  | 'too_late'
  | 'pair_not_served'
  | 'not_worth_it'
  | 'sealing_key'
  | 'stake'
  | 'inventory'
  | 'exposure'
  | 'gas'

/** An intent's phase for us. */
export type SolverPhase =
  | 'watching'
  | 'bidding'
  | 'leading'
  | 'outbid'
  | 'depositing'
  | 'delivering'
  | 'settling'
  | 'missed'
  | 'over'
