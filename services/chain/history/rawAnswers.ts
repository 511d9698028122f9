import { z } from 'zod'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** What nodes answer, checked and in the core's own form: lower case, numbers for heights and times. */
const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text.toLowerCase() as Hex)

const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/)
  .transform(Number)
  .refine(Number.isSafeInteger)

/** An entry of `eth_getLogs`. */
export const rawLogSchema = z.object({
  address: hex,
  topics: z.array(hex),
  data: hex,
  blockNumber: quantity,
  blockHash: hex,
  transactionHash: hex,
  logIndex: quantity,
})

export type ChainLog = z.infer<typeof rawLogSchema>

/** A block of `eth_getBlockByNumber`. */
export const rawHeaderSchema = z.object({ number: quantity, hash: hex, timestamp: quantity })

export type Header = z.infer<typeof rawHeaderSchema>

/** A transaction of `eth_getTransactionByHash` that is in a block. */
export const rawTransactionSchema = z.object({ hash: hex, from: hex, blockHash: hex })

export type ChainTransaction = z.infer<typeof rawTransactionSchema>
