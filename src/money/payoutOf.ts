import { feeOf } from './feeOf.ts'

/** What settlement divides, in base units of tokenA. */
export type SettlementTerms = { amountA: bigint; reward: bigint; feeBps: number }

/** What settlement pays the winner: `amountA − fee + reward`, in base units of tokenA. */
export function payoutOf({ amountA, reward, feeBps }: SettlementTerms): bigint {
  return amountA - feeOf(amountA, feeBps) + reward
}
