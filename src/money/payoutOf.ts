import { feeOf } from './feeOf.ts'

/** What an intent holds in escrow once its winner has deposited, in base units of tokenA. */
export type SettlementTerms = { amountA: bigint; reward: bigint; bond: bigint; feeBps: number }

/** What settlement pays the winner: `amountA − fee + reward + bond`, in base units of tokenA. */
export function payoutOf({ amountA, reward, bond, feeBps }: SettlementTerms): bigint {
  return amountA - feeOf(amountA, feeBps) + reward + bond
}
