/** Basis points in a whole: 10,000 bps = 100 %. */
export const BPS_DENOMINATOR = 10_000n

/** The two fee tiers an intent can be anchored with, in basis points of amountA. */
export const FEE_BPS = { unshielded: 250, shielded: 700 } as const

/** What backs a bid, in basis points of the escrow (amountA + reward). */
export const BOND_BPS = 500

/** `floor(amount · bps / 10,000)`, as the contract rounds. `amount` in base units, not negative. */
export function shareOf(amount: bigint, bps: number): bigint {
  return (amount * BigInt(bps)) / BPS_DENOMINATOR
}
