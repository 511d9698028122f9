import { z } from 'zod'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { UnreadableError } from './historyError.ts'

/** What nodes answer, checked and in the core's own form: lower case, numbers for heights and times. */
const hex = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern)
    .transform((text) => text.toLowerCase() as Hex)
const data = hex(/^0x(?:[0-9a-fA-F]{2})*$/)
const address = hex(/^0x[0-9a-fA-F]{40}$/)
const hash = hex(/^0x[0-9a-fA-F]{64}$/)

/** A number as nodes write it. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/)
  .transform(Number)
  .refine(Number.isSafeInteger)

/** An entry of `eth_getLogs`. */
export const rawLogSchema = z.object({
  address,
  topics: z.array(hash),
  data,
  blockNumber: quantity,
  blockHash: hash,
  transactionHash: hash,
  logIndex: quantity,
})

export type ChainLog = z.infer<typeof rawLogSchema>

/** A block of `eth_getBlockByNumber`. */
export const rawHeaderSchema = z.object({ number: quantity, hash, timestamp: quantity })

export type Header = z.infer<typeof rawHeaderSchema>

/** A transaction of `eth_getTransactionByHash` that is in a block. */
export const rawTransactionSchema = z.object({ hash, from: address, blockHash: hash })

export type ChainTransaction = z.infer<typeof rawTransactionSchema>

/** An answer in the form we need. Throws an UnreadableError for one that isn't. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  answer: unknown,
  method = 'the node',
): z.infer<Schema> {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new UnreadableError(`${method} gave an answer that can't be read: ${parsed.error.message}`)
}
