import type { SeenIntent } from './snapshot.ts'

/** What is to be done now. */
export type Action = UpkeepAction | IntentAction

/** What keeps us able to bid and deliver. Amounts in base units. */
export type UpkeepAction =
  | { do: 'approve' | 'claim'; chainId: number; token: string }
  | { do: 'stake' | 'unstake'; chainId: number; token: string; amount: bigint }
  | { do: 'seal'; chainId: number }

/** What is done about an intent. */
export type IntentAction =
  | { do: 'bid' | 'deposit'; intent: SeenIntent; amountB: bigint }
  | { do: 'ask' | 'deliver' | 'settle'; intent: SeenIntent }

/** Why nothing is done about an intent that could be served. */
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

/** Where an intent stands for us. */
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
