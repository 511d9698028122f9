import { shareOf } from '../../src/money/bps.ts'

/** Fee kept from `amountA` at settlement: `floor(amountA · bps / 10,000)`, in base units of tokenA. */
export function calculateFee(amountA: bigint, bps: number): bigint {
  return shareOf(amountA, bps)
}
