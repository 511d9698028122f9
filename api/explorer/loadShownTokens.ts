import type { Pair } from '../../services/store/pairs/pairFilter.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Price } from '../http/prices/priceDocument.ts'
import type { Token } from '../http/tokens/tokenLookup.ts'
import type { ExplorerReadContext } from './explorerReadContext.ts'

/** Looks up a token among those loaded for the page. */
export type TokenOf = (chainId: number, address: Hex) => ShownToken

/** A token with its price in US dollars, if a fresh one is known. */
export type ShownToken = Token & { price: Price | null }

export async function loadShownTokens(
  { tokens, prices }: ExplorerReadContext,
  requested: readonly { chainId: number; token: Hex }[],
): Promise<TokenOf> {
  const keys = new Map(requested.map((one) => [keyOf(one.chainId, one.token), one]))
  const loaded = await Promise.all(
    [...keys].map(
      async ([key, { chainId, token }]) =>
        [key, { ...(await tokens.of(chainId, token)), price: prices.of(chainId, token) }] as const,
    ),
  )
  const byKey = new Map(loaded)
  return (chainId, address) => {
    const token = byKey.get(keyOf(chainId, address))
    if (!token) throw new Error(`token ${address} of chain ${chainId} wasn’t loaded`)
    return token
  }
}

/** Both tokens of each pair, for `loadShownTokens`. */
export function tokensOfPairs(pairs: readonly Pair[]): { chainId: number; token: Hex }[] {
  return pairs.flatMap(({ sourceChainId, destChainId, tokenA, tokenB }) => [
    { chainId: sourceChainId, token: tokenA },
    { chainId: destChainId, token: tokenB },
  ])
}

function keyOf(chainId: number, address: Hex): string {
  return `${chainId}:${address}`
}
