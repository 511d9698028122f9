import { formatUnits } from 'viem'
import type { TokenName } from './tokenNames.ts'

/** An amount in whole tokens, exactly; null where there is none, or nobody knows the token's decimals. */
export function tokenAmount(base: bigint | null, token: TokenName | null): string | null {
  return base === null || token?.decimals == null ? null : formatUnits(base, token.decimals)
}
