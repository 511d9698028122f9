import { formatUnits } from 'viem'
import { toUsd } from '../../../core/money/usdValue.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Token } from '../../http/tokens/tokenLookup.ts'
import type { GraphqlContext } from '../graphqlContext.ts'

export type TokenPlace = { chainId: number; token: Hex }

// biome-ignore lint/suspicious/noExplicitAny: the nodes of many types, by the names of their properties
type Node = any
type Resolve = (node: Node, args: never, context: GraphqlContext) => unknown
type PlaceOf = (node: Node, context: GraphqlContext) => TokenPlace | Promise<TokenPlace | null>

const PLACES = {
  tokenA: ({ sourceChainId, chainId, tokenA }: Node) => {
    return { chainId: sourceChainId ?? chainId, token: tokenA }
  },
  tokenB: ({ destChainId, tokenB }: Node) => ({ chainId: destChainId, token: tokenB }),
  token: ({ sourceChainId, chainId, token }: Node) => {
    return { chainId: sourceChainId ?? chainId, token }
  },
} satisfies Record<string, PlaceOf>

/**
 * Adds `…Info` for each of a type's tokens, and `…Decimal` (whole tokens) and `…Usd` (US dollars, where there is a
 * price) for each of its amounts.
 *
 * @param amounts the type's amounts by the token they are in
 * @param fields the type's other resolvers, of which an amount may have one
 */
export function withTokens<Fields extends object>(
  amounts: Partial<Record<keyof typeof PLACES, readonly string[]>>,
  fields: Fields,
): Fields & Record<string, Resolve> {
  const added: Record<string, Resolve> = {}
  for (const [token, names] of Object.entries(amounts)) {
    const placeOf = PLACES[token as keyof typeof PLACES]
    added[`${token}Info`] = async (node, _, context) => infoOf(await placeOf(node), context)
    Object.assign(added, decimals(names, placeOf, fields))
  }
  return { ...fields, ...added } as Fields & Record<string, Resolve>
}

/** `…Decimal` and `…Usd` for amounts of a token. */
export function decimals(
  amounts: readonly string[],
  placeOf: PlaceOf,
  fields: object = {},
): Record<string, Resolve> {
  const resolvers = fields as Record<string, Resolve | undefined>
  const added: Record<string, Resolve> = {}
  for (const amount of amounts) {
    const read = async (node: Node, args: never, context: GraphqlContext) => {
      const own = resolvers[amount]
      const base: bigint | null = own ? await own(node, args, context) : node[amount]
      const place = base == null ? null : await placeOf(node, context)
      return base == null || place === null ? null : { base, ...place }
    }
    added[`${amount}Decimal`] = async (node, args, context) => {
      const value = await read(node, args, context)
      if (value === null) return null
      const { decimals } = await context.tokens.of(value.chainId, value.token)
      return decimals === null ? null : formatUnits(value.base, decimals)
    }
    added[`${amount}Usd`] = async (node, args, context) => {
      const value = await read(node, args, context)
      return value && usdOf(value, context)
    }
  }
  return added
}

async function usdOf(
  { base, chainId, token }: TokenPlace & { base: bigint },
  { prices, tokens }: GraphqlContext,
) {
  const price = prices.of(chainId, token)
  const decimals = price && (await tokens.of(chainId, token)).decimals
  if (price === null || decimals === null) return null
  const { usd, source, asOf } = price
  return { value: toUsd(base, decimals, usd), price: usd, source, asOf }
}

function infoOf({ chainId, token }: TokenPlace, { tokens }: GraphqlContext): Promise<Token> {
  return tokens.of(chainId, token)
}
