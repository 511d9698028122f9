/** A bridge's immutable windows, in seconds, from its `BridgeDeployed` (and its `bridge` row). */
export type BridgeTerms = {
  /** The longest time between firmAt and endTime. */
  firmSeconds: number
  /** The best bidder's time to deposit; then as long again for anyone. */
  pickupWindow: number
  /** From deposit to fillDeadline. */
  executionWindow: number
  /** From fillDeadline to the moment anyone may refund. */
  settlementGrace: number
}

/** What a creation takes from its bridge: its windows, and what the token's listing says just then. */
export type CreationTerms = BridgeTerms & {
  /** Signatures that a reveal, a settlement or a NotDelivered of the intent needs. */
  quorum: number
}

/** For every other event than a creation: only that needs terms. */
export const NO_TERMS: CreationTerms = {
  firmSeconds: 0,
  pickupWindow: 0,
  executionWindow: 0,
  settlementGrace: 0,
  quorum: 0,
}

/**
 * The time from which recipients are firm, nothing is anchored and an intent with a bid can't be
 * cancelled: `endTime − min(duration / 3, firmSeconds)`, in unix seconds, rounded as the contract
 * does.
 */
export function firmAtOf(endTime: number, createdAt: number, firmSeconds: number): number {
  return endTime - Math.min(Math.floor((endTime - createdAt) / 3), firmSeconds)
}
