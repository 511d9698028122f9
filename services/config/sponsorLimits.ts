/** Default limits on what the relayer pays for Safe owners. */
export const DEFAULT_SPONSOR_LIMITS = {
  gas: 1_500_000n,
  /**
   * Gas for all Safes of an intent, per multiple of the bridge's minimum amount; see the relayer's `requireGasQuota`.
   */
  gasPerMinimum: 1_500_000n,
  /**
   * The part of that gas reserved for each Safe: its deployment and a transfer. An intent must be large enough for it.
   */
  gasPerRecipient: 500_000n,
  /** Transactions for one Safe in 24 hours. */
  perSafe: 20,
  /** Transactions for one client on one day (UTC). */
  perClient: 5_000,
  /** Wei on one chain in 24 hours. */
  weiPerDay: 10n ** 17n,
}

export type SponsorLimits = typeof DEFAULT_SPONSOR_LIMITS
