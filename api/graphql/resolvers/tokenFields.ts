import { formatUnits } from 'viem'
import type { Token } from '../../http/tokens/tokenLookup.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { tokenId } from '../objectIds.ts'
import { chainFields } from './solverFields.ts'

/** Fields of `Token` that aren't properties of the book's tokens. */
export const tokenFields = {
  ...chainFields,
  id: tokenId,
  minimumDecimal: (token: Token) => inTokens(token.minimum, token),
  maximumDecimal: (token: Token) => inTokens(token.maximum, token),
  usd: ({ chainId, address }: Token, _: unknown, { prices }: GraphqlContext) => {
    const price = prices.of(chainId, address)
    return price && { price: price.usd, source: price.source, asOf: price.asOf }
  },
}

/** Fields of `Query` about tokens. */
export const tokenQueries = {
  tokens: async (
    { chainId, symbol }: { chainId?: number | null; symbol?: string | null },
    { tokens }: GraphqlContext,
  ) =>
    (await tokens.list()).filter(
      (token) =>
        (chainId == null || token.chainId === chainId) &&
        (symbol == null || token.symbol?.toLowerCase() === symbol.toLowerCase()),
    ),
}

function inTokens(amount: bigint | null, { decimals }: Token): string | null {
  return amount === null || decimals === null ? null : formatUnits(amount, decimals)
}
