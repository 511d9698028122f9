import { BOND_BPS, shareOf } from './bps.ts'

/**
 * What backs a bid for an intent, locked of its solver's stake: 5 % of what is in escrow, rounded
 * down, in base units of tokenA.
 */
export function calculateBond({ amountA, reward }: { amountA: bigint; reward: bigint }): bigint {
  return shareOf(amountA + reward, BOND_BPS)
}
