/** The source chain's own state of an intent. Clock-driven states are derived by `status`. */
export type Phase =
  | 'open'
  | 'bidding'
  | 'deposited'
  | 'completed'
  | 'cancelled'
  | 'expired'
  | 'failed'

/** Why a solver lost its lock: it didn't pick its intent up, or didn't deliver it. */
export type ForfeitReason = 'no_deposit' | 'not_delivered'

/** Why an order stopped. */
export type StopReason = 'filled' | 'end_time' | 'user_cancel'

/**
 * How long intents took, as counts by bucket. Up to 31 seconds a bucket is one second; above, each doubling
 * has sixteen, so that a time read from a bucket is less than a sixteenth too long. Counts of several
 * histograms add up, which percentiles don't.
 */
export type CompletionTimes = Readonly<Record<string, number>>
