import { z } from '@hono/zod-openapi'
import { USD_PRICE } from '../../../core/money/usdValue.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { addressInput, chainIdInput, momentInput } from '../valueSchemas.ts'

/** The price of one whole token, with its source and time. */
export type Price = {
  /** US dollars, as a decimal string. */
  usd: string
  /** The source, as it names itself. */
  source: string
  /** Its time, unix seconds. */
  asOf: number
}

/** Prices by token; see `priceKey`. */
export type Prices = ReadonlyMap<string, Price>

/** Prices of one document at most. */
const MOST = 5_000

/** One line of visible characters, since pages show it. */
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
    .max(MOST),
})

/** Names a token in `Prices`. */
export function priceKey(chainId: number, token: Hex): string {
  return `${chainId}:${token.toLowerCase()}`
}

/**
 * The prices that a document states. Throws an error that says what is wrong with it, without quoting
 * it.
 */
export function readPriceDocument(text: string): Prices {
  const parsed = document.safeParse(jsonIn(text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    // The document's author chose the names in it.
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

/** A document that isn't one of prices. */
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
