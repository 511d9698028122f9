import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Price } from '../http/prices/priceDocument.ts'
import type { Token } from '../http/tokens/tokenBook.ts'
import type { RpcHeads } from '../rest/operations/rpcHeads.ts'
import type { ReadContext } from '../rest/readContext.ts'

/** What pages read from: the same reads as REST and GraphQL. */
export type ExplorerReads = ReadContext & { rpc: RpcHeads }

/** A token by its place; every one that a page shows was loaded before. */
export type TokenOf = (chainId: number, address: Hex) => ShownToken

/** A token with its price in US dollars, if there is a fresh one. */
export type ShownToken = Token & { price: Price | null }

/** Loads what is known of the tokens that a page shows. */
export async function loadTokensShown(
  { tokens, prices }: ExplorerReads,
  places: readonly { chainId: number; token: Hex }[],
): Promise<TokenOf> {
  const names = new Map(places.map((place) => [nameOf(place.chainId, place.token), place]))
  const found = await Promise.all(
    [...names].map(
      async ([name, { chainId, token }]) =>
        [name, { ...(await tokens.of(chainId, token)), price: prices.of(chainId, token) }] as const,
    ),
  )
  const known = new Map(found)
  return (chainId, address) => {
    const token = known.get(nameOf(chainId, address))
    if (!token) throw new Error(`token ${address} of chain ${chainId} wasn’t loaded`)
    return token
  }
}

/** Both tokens of pairs, as `loadTokensShown` takes them. */
export function tokensOfPairs(
  pairs: readonly { sourceChainId: number; destChainId: number; tokenA: Hex; tokenB: Hex }[],
): { chainId: number; token: Hex }[] {
  return pairs.flatMap(({ sourceChainId, destChainId, tokenA, tokenB }) => [
    { chainId: sourceChainId, token: tokenA },
    { chainId: destChainId, token: tokenB },
  ])
}

function nameOf(chainId: number, address: Hex): string {
  return `${chainId}:${address}`
}
