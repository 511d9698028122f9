import { z } from 'zod'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { UnusableAnswerError } from './historyErrors.ts'

// Schemas turn nodes' answers into the core's form: lower-case hex, numbers for heights and times.

const hex = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern)
    .transform((text) => text.toLowerCase() as Hex)
const address = hex(/^0x[0-9a-fA-F]{40}$/)
const hash = hex(/^0x[0-9a-fA-F]{64}$/)

/** A JSON-RPC quantity. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/)
  .transform(Number)
  .refine(Number.isSafeInteger)

export type ChainLog = {
  address: Hex
  topics: Hex[]
  data: Hex
  blockNumber: number
  blockHash: Hex
  transactionHash: Hex
  logIndex: number
}

/** An entry of `eth_getLogs`. Validated by hand because there are millions of them. */
export const rawLogSchema = z.unknown().transform((raw, { issues }): ChainLog => {
  try {
    return readChainLog(raw as Record<string, unknown>)
  } catch (error) {
    issues.push({ code: 'custom', message: (error as Error).message, input: raw })
    return z.NEVER
  }
})

function readChainLog(raw: Readonly<Record<string, unknown>>): ChainLog {
  if (!Array.isArray(raw.topics)) throw new TypeError('log without topics')
  return {
    address: hexOf(raw.address, 40),
    topics: raw.topics.map((topic) => hexOf(topic, 64)),
    data: hexOf(raw.data),
    blockNumber: quantityOf(raw.blockNumber),
    blockHash: hexOf(raw.blockHash, 64),
    transactionHash: hexOf(raw.transactionHash, 64),
    logIndex: quantityOf(raw.logIndex),
  }
}

const HEX = /^0x[0-9a-fA-F]*$/
const LOWER_CASE_HEX = /^0x[0-9a-f]*$/

/** @param digits required number of digits; default: any even number */
function hexOf(value: unknown, digits?: number): Hex {
  const text = typeof value === 'string' ? value : ''
  // Nodes write lower case, which needn't be copied.
  const lowerCase = LOWER_CASE_HEX.test(text)
  const isHex = lowerCase || HEX.test(text)
  const hasLength = isHex && (digits ? text.length === digits + 2 : text.length % 2 === 0)
  if (!hasLength)
    throw new TypeError(`log field isn't hex of ${digits ?? 'an even number of'} digits`)
  return (lowerCase ? text : text.toLowerCase()) as Hex
}

function quantityOf(value: unknown): number {
  const number = typeof value === 'string' && HEX.test(value) ? Number(value) : Number.NaN
  if (!Number.isSafeInteger(number)) throw new TypeError('log field is not a quantity')
  return number
}

/** Ponder's checkpoints hold ten digits of time (until the year 2286). */
const LATEST_TIME = 9_999_999_999

/** A result of `eth_getBlockByNumber`. */
export const rawHeaderSchema = z.object({
  number: quantity,
  hash,
  parentHash: hash.optional(),
  timestamp: quantity.refine((seconds) => seconds <= LATEST_TIME),
})

export type Header = z.infer<typeof rawHeaderSchema>

/** A result of `eth_getTransactionByHash`, mined. */
export const rawTransactionSchema = z.object({ hash, from: address, blockHash: hash })

export type ChainTransaction = z.infer<typeof rawTransactionSchema>

/** Validates a node's result. @throws UnusableAnswerError */
export function parseAnswer<Schema extends z.core.$ZodType>(
  schema: Schema,
  answer: unknown,
  method = 'the node',
): z.infer<Schema> {
  const parsed = z.safeParse(schema, answer)
  if (parsed.success) return parsed.data
  throw new UnusableAnswerError(`${method} returned an unusable answer: ${parsed.error.message}`)
}
