/** What the relayer is ready to pay. */
export type SponsorLimits = {
  /** Gas of one transaction. */
  gas: bigint
  /** Gas for all Safes of an intent, for each time that its amount is the bridge's least; see `requireAllowance` of the relayer. */
  gasPerMinimum: bigint
  /** Gas of these that each Safe can count on: its deployment and a transfer. An intent must be large enough for it. */
  gasPerRecipient: bigint
  /** Transactions for one Safe in 24 hours. */
  perSafe: number
  /** Transactions for one client on one day (UTC). */
  perClient: number
  /** Wei on one chain in 24 hours. */
  weiPerDay: bigint
}

export const DEFAULT_SPONSOR_LIMITS: SponsorLimits = {
  gas: 1_500_000n,
  gasPerMinimum: 1_500_000n,
  gasPerRecipient: 500_000n,
  perSafe: 20,
  perClient: 5_000,
  weiPerDay: 10n ** 17n,
}
