import { BOND_BPS, shareOf } from './bps.ts'

/** Bond that the winner deposits: 5 % of `amountA`, rounded down, in base units of tokenA. */
export function bondOf(amountA: bigint): bigint {
  return shareOf(amountA, BOND_BPS)
}
