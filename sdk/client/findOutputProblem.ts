import { type Address, erc20Abi } from 'viem'
import type { ChainClient } from './clientOptions.ts'

/** What a token's amounts count: its symbol in capital letters, and decimals. */
export type TokenUnit = { symbol: string; decimals: number }

/** An amount of a token in its base units, such as 1,500,000 for 1.5 USDC. */
type Amount = TokenUnit & { base: bigint }

export async function readTokenUnit(
  client: Pick<ChainClient, 'readContract'>,
  address: Address,
): Promise<TokenUnit> {
  const of = { address, abi: erc20Abi } as const
  const [symbol, decimals] = await Promise.all([
    client.readContract({ ...of, functionName: 'symbol' }),
    client.readContract({ ...of, functionName: 'decimals' }),
  ])
  return { symbol: symbol.toUpperCase(), decimals }
}

/**
 * Finds a mistake in the amount requested of the asset offered: more than that, or less than half, as with wrong decimals; a
 * solver without rivals would deliver just that. Only solvers can compare different assets.
 */
export function findOutputProblem(offered: Amount, requested: Amount): 'more' | 'less' | null {
  if (offered.symbol !== requested.symbol) return null
  const given = offered.base * 10n ** BigInt(requested.decimals)
  const asked = requested.base * 10n ** BigInt(offered.decimals)
  if (asked > given) return 'more'
  return 2n * asked < given ? 'less' : null
}
