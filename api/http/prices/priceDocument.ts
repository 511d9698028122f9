import { z } from '@hono/zod-openapi'
import { USD_PRICE } from '../../../core/money/usdValue.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { addressInput, chainIdInput, momentInput } from '../valueSchemas.ts'

/** The price of one whole token, with its source and time. */
export type Price = {
  /** US dollars; a decimal string. */
  usd: string
  source: string
  /** Unix seconds. */
  asOf: number
}

/** Prices by `priceKey`. */
export type Prices = ReadonlyMap<string, Price>

const MAX_PRICES = 5_000

/** One line of visible characters, since the explorer shows it. */
const source = z
  .string()
  .regex(/^(?=.*\S)[^\p{C}\p{Zl}\p{Zp}]{1,80}$/u, 'expected 1 to 80 visible characters')

const document = z.strictObject({
  source,
  asOf: momentInput,
  prices: z
    .array(
      z.strictObject({
        chain: chainIdInput,
        token: addressInput,
        usd: z.string().regex(USD_PRICE, 'expected a decimal string, such as "1.0003"'),
        source: source.optional(),
        asOf: momentInput.optional(),
      }),
    )
    .max(MAX_PRICES),
})

export function priceKey(chainId: number, token: Hex): string {
  return `${chainId}:${token.toLowerCase()}`
}

/**
 * Parses a document.
 *
 * @throws PriceDocumentError that says what is wrong without quoting the document
 */
export function parsePriceDocument(text: string): Prices {
  const parsed = document.safeParse(jsonIn(text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    // The name in zod's message would quote the document.
    const words = issue?.code === 'unrecognized_keys' ? 'it has an unknown field' : issue?.message
    throw new PriceDocumentError(`${issue?.path.join('.') || 'document'}: ${words}`)
  }
  const { prices, source, asOf } = parsed.data
  return new Map(
    prices.map(({ chain, token, usd, ...own }) => [
      priceKey(chain, token),
      { usd, source: own.source ?? source, asOf: own.asOf ?? asOf },
    ]),
  )
}

export class PriceDocumentError extends Error {
  override name = 'PriceDocumentError'
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PriceDocumentError('it is not JSON')
  }
}
