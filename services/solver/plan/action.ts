import type { SeenIntent } from './snapshot.ts'

/** What is to be done now. */
export type Action =
  | { do: 'approve'; chainId: number; token: string }
  | { do: 'bid'; intent: SeenIntent; amountB: bigint }
  | { do: 'deposit'; intent: SeenIntent; amountB: bigint }
  | { do: 'deliver'; intent: SeenIntent }
  | { do: 'settle'; intent: SeenIntent }

/** Why nothing is done about an intent that could be served. */
export type PassReason =
  | 'not_anchored'
  | 'pair_not_served'
  | 'not_worth_it'
  | 'too_late'
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
