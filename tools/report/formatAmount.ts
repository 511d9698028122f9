import { formatUnits } from 'viem'
import type { TokenName } from './readTokenNames.ts'

/** An amount in whole tokens, exactly; null if there is none or the token's decimals are unknown. */
export function formatAmount(base: bigint | null, token: TokenName | null): string | null {
  return base === null || token?.decimals == null ? null : formatUnits(base, token.decimals)
}
