/** A bridge's immutable windows, in seconds, from its `BridgeDeployed` (and its `bridge` row). */
export type BridgeTerms = {
  /** The best bidder's time to deposit; then as long again for anyone. */
  pickupWindow: number
  /** From deposit to fillDeadline. */
  executionWindow: number
  /** From fillDeadline to the moment anyone may refund. */
  settlementGrace: number
}
