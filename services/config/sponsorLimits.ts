/** Limits on what the relayer pays for Safe owners. */
export type SponsorLimits = {
  gas: bigint
  gasPerMinimum: bigint
  gasPerRecipient: bigint
  perSafe: number
  perClient: number
  /** Wei on one chain in 24 hours; null: the chain's default. */
  weiPerDay: bigint | null
}

export const DEFAULT_SPONSOR_LIMITS: SponsorLimits = {
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
  weiPerDay: null,
}

/** A day's wei on chains whose coin isn't ether. On Polygon, a tenth of a coin pays for three transactions. */
const WEI_PER_DAY: ReadonlyMap<number, bigint> = new Map([
  [137, 300n * 10n ** 18n],
  [80_002, 300n * 10n ** 18n],
])
const WEI_PER_DAY_OF_ETHER = 10n ** 17n

/** What the relayer pays at most for Safe owners in 24 hours on a chain, in wei. */
export function findDailyBudget(
  chainId: number,
  { weiPerDay }: Pick<SponsorLimits, 'weiPerDay'>,
): bigint {
  return weiPerDay ?? WEI_PER_DAY.get(chainId) ?? WEI_PER_DAY_OF_ETHER
}
