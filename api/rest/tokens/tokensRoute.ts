import { z } from '@hono/zod-openapi'
import { findChainName } from '../../../core/chain/chainNames.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { toIsoTime } from '../../http/isoTime.ts'
import type { TokenPriceCache } from '../../http/prices/tokenPriceCache.ts'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import type { Token } from '../../http/tokens/tokenLookup.ts'
import {
  address,
  amount,
  chainId,
  chainInput,
  chainName,
  count,
  decimalOrNull,
  moment,
} from '../../http/valueSchemas.ts'
import { chainsToRead, type ReadContext } from '../readContext.ts'

const tokenSchema = z
  .object({
    chainId,
    chain: chainName,
    address,
    symbol: z.string().nullable().openapi({
      description: 'Anyone can create a token with any symbol: show the address too.',
      example: 'USDC',
    }),
    name: z.string().nullable(),
    decimals: count.nullable(),
    source: z
      .enum(['configuration', 'chain'])
      .nullable()
      .describe('Where symbol and decimals come from. Null until they have been read.'),
    isListed: z.boolean().describe('Whether the chain’s bridge accepts it now.'),
    minimum: amount.nullable().describe('Minimum escrow (amountA + reward).'),
    maximum: amount.nullable(),
    usd: z
      .object({
        price: z.string().openapi({ description: 'Price of one whole token.', example: '1.0003' }),
        source: z.string(),
        asOf: moment,
      })
      .optional()
      .describe('Absent unless the operator provides a fresh price.'),
  })
  .openapi('Token')

const answer = success({ tokens: z.array(tokenSchema) })

/** `GET /tokens`: what a dashboard needs to show amounts. */
export function addTokensRoute(app: App, reads: ReadContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/tokens',
    tag: 'Service',
    summary: 'Symbols, decimals and limits of tokens',
    description:
      'Tokens that the operator configured, that a bridge has listed, or that an intent has named.',
    query: z.strictObject({
      chainId: chainInput.optional(),
      symbol: z.string().max(32).optional().describe('In any letter case.'),
    }),
    answer,
    failures: [503],
    isConditional: true,
    handler: async (query) => {
      await chainsToRead(reads)
      const symbol = query.symbol?.toLowerCase()
      const tokens = (await reads.tokens.list()).filter(
        (token) =>
          (query.chainId === undefined || token.chainId === query.chainId) &&
          (symbol === undefined || token.symbol?.toLowerCase() === symbol),
      )
      return { tokens: tokens.map((token) => renderToken(token, reads.prices)) }
    },
  })
}

function renderToken(
  { chainId: id, address: at, minimum, maximum, ...token }: Token,
  prices: TokenPriceCache,
): z.infer<typeof tokenSchema> {
  const price = prices.of(id, at)
  return {
    chainId: String(id),
    chain: findChainName(id),
    address: toChecksumAddress(at),
    ...token,
    minimum: decimalOrNull(minimum),
    maximum: decimalOrNull(maximum),
    ...(price && { usd: { price: price.usd, source: price.source, asOf: toIsoTime(price.asOf) } }),
  }
}
