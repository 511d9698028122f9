import { z } from '@hono/zod-openapi'
import { isAddress } from 'viem'
import { findChainId } from '../../core/chain/chainNames.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { parseTime } from './parseTime.ts'

/** Schemas of input and output values, with their documentation. */

const MAX_UINT256 = 2n ** 256n - 1n

/** An intent id, decimal or 0x hex. */
export const intentIdInput = z
  .string()
  .regex(/^(0[xX][0-9a-fA-F]{1,64}|[0-9]{1,78})$/, 'expected an intent id, decimal or 0x hex')
  .transform((text) => BigInt(text))
  .refine((id) => id > 0n && id <= MAX_UINT256, 'expected an intent id of 1 to 256 bits')
  .openapi({
    type: 'string',
    example: '1559420484664590925824001',
    description: 'Decimal or 0x hex.',
  })

/** An address in any letter case. Parsed to lower case. */
export const addressInput = z
  .string()
  .refine(
    (text) => /^0x/i.test(text) && isAddress(`0x${text.slice(2)}`.toLowerCase()),
    'expected an address: 0x and 40 hex digits',
  )
  .transform((text) => text.toLowerCase() as Hex)
  .openapi({ type: 'string', example: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' })

/** A token's address, or the symbol of a configured or listed token. */
export const tokenInput = z
  .string()
  .refine(
    (text) => addressInput.safeParse(text).success || /^(?!0x)[^\s\p{C}]{1,32}$/iu.test(text),
    'expected a token’s address or symbol',
  )
  .transform((text): TokenInput => {
    const parsed = addressInput.safeParse(text)
    return parsed.success ? { address: parsed.data } : { symbol: text }
  })
  .openapi({
    type: 'string',
    example: 'USDC',
    description: 'Address, or symbol of a configured or listed token.',
  })

export type TokenInput = { address: Hex } | { symbol: string }

/** A transaction hash, in any letter case. */
export const hashInput = z
  .string()
  .regex(/^0[xX][0-9a-fA-F]{64}$/, 'expected a transaction hash: 0x and 64 hex digits')
  .transform((text) => text.toLowerCase() as Hex)
  .openapi({ type: 'string' })

/** Where to look up what stands for a chain. */
export const LISTED = 'as GET /chains lists them'
const NOT_A_CHAIN = `expected a chain id or a chain name, ${LISTED}`

/** A numeric chain id or a chain name. */
export const chainInput = z
  .string()
  .transform((text, context) => {
    const id = /^[0-9]{1,16}$/.test(text) ? Number(text) : findChainId(text)
    if (id !== null && Number.isSafeInteger(id) && id > 0) return id
    context.addIssue({ code: 'custom', message: NOT_A_CHAIN })
    return z.NEVER
  })
  .openapi({ type: 'string', example: '84532', description: 'Numeric chain id or chain name.' })

/** Path and query of an endpoint about one intent. */
export const byIntentId = {
  params: z.strictObject({ intentId: intentIdInput }),
  query: z.strictObject({ sourceChainId: chainInput.optional() }),
}

/** An amount in base units. */
export const amountInput = z
  .string()
  .regex(/^[0-9]{1,78}$/, 'expected a decimal amount in base units')
  .transform((text) => BigInt(text))
  .openapi({ type: 'string', example: '1000000', description: 'Base units.' })

/** A time: unix seconds, or ISO 8601 with a zone. Parsed to unix seconds. */
export const momentInput = z
  .string()
  .transform((text, context) => {
    const seconds = parseTime(text)
    if (seconds !== null && seconds >= 0) return seconds
    context.addIssue({
      code: 'custom',
      message: 'expected unix seconds, a date, or ISO 8601 with a zone',
    })
    return z.NEVER
  })
  .openapi({ type: 'string', example: '2026-01-31T12:00:00Z' })

export const text = z.string()
export const flag = z.boolean()
export const address = text.describe('EIP-55 checksummed.')
export const hash = text.describe('Transaction hash, lower case.')
export const chainId = text.openapi({ description: 'Numeric chain id.', example: '84532' })
export const amount = text.openapi({ description: 'Base units.', example: '1000000' })
export const moment = text.openapi({ description: 'ISO 8601.', format: 'date-time' })
export const count = z.number().int()
export const intentId = text.describe('Decimal.')
export const chainName = text.nullable().describe('ChainId name; null for a chain that has none.')

/** A chain id in a body: a JSON number as in the specification; also accepts a string or a chain name. */
export const chainIdInput = z
  .union([z.int().positive(NOT_A_CHAIN), chainInput], NOT_A_CHAIN)
  .openapi({ type: 'integer', example: 84532 })

/** Bytes as hex, with or without `0x`. Parsed to lower case with `0x`. */
export const hexInput = z
  .string()
  .regex(/^(0[xX])?([0-9a-fA-F]{2})+$/, 'expected bytes as hex')
  .transform((text) => `0x${text.replace(/^0x/i, '').toLowerCase()}` as Hex)
  .openapi({ type: 'string', example: '0x04…' })

/** A recipient's address. A wrong EIP-55 checksum is refused: it is a typo, and the money would be lost. */
export const payeeInput = z
  .string()
  .refine(
    (text) => /^0x([0-9a-f]{40}|[0-9A-F]{40})$/.test(text) || isAddress(text, { strict: true }),
    'expected an address: 0x and 40 hex digits, in one letter case or with a correct checksum',
  )
  .transform((text) => text.toLowerCase() as Hex)
  .openapi({ type: 'string', example: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' })

/** An amount below 2^256, in base units. */
export const wireAmountInput = amountInput.refine(
  (amount) => amount <= MAX_UINT256,
  'expected less than 2^256',
)

/** A page size from 1 to `max`. */
export function limitInput(defaultLimit: number, max: number) {
  return z
    .string()
    .regex(/^[0-9]{1,6}$/, `expected a number, 1 to ${max}`)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= max, `expected a number, 1 to ${max}`)
    .default(defaultLimit)
    .openapi({ type: 'integer', minimum: 1, maximum: max })
}

/** Where a page starts. A longer one is no cursor. */
export const cursorInput = z
  .string()
  .max(512)
  .optional()
  .describe('`nextCursor` of the previous page.')

/** A number as a decimal string; null stays null. */
export function decimalOrNull(value: bigint | number | null): string | null {
  return value === null ? null : String(value)
}
