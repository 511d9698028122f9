import { z } from 'zod'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { listOf } from '../validation/listOf.ts'
import { ProofError } from './proofError.ts'
import { DEPOSIT_TYPE, type Receipt } from './receipt.ts'

/** A receipt from an RPC server, with its position in the block. */
export type PlacedReceipt = Receipt & { transactionIndex: number; transactionHash: Hex }

const bytes = (length: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${length * 2}}$`))
    .transform((text) => text.toLowerCase() as Hex)

const integer = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => BigInt(text))

const smallInteger = integer.transform(Number).pipe(z.int())

const rpcReceipt = z.object({
  type: smallInteger.pipe(z.int().max(0x7f)).nullish(),
  status: integer.pipe(z.bigint().max(1n)).nullish(),
  root: bytes(32).nullish(),
  cumulativeGasUsed: integer,
  logsBloom: bytes(256),
  logs: listOf(
    z.object({
      address: bytes(20),
      topics: z.array(bytes(32)).max(4),
      data: z
        .string()
        .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
        .transform((text) => text.toLowerCase() as Hex),
    }),
  ),
  transactionHash: bytes(32),
  transactionIndex: smallInteger,
  depositNonce: integer.nullish(),
  depositReceiptVersion: integer.nullish(),
})

/**
 * Parses a receipt from `eth_getTransactionReceipt` or `eth_getBlockReceipts`.
 *
 * @throws ProofError `RECEIPT_INVALID` if it lacks what the chain commits to
 */
export function parseRpcReceipt(answer: unknown): PlacedReceipt {
  const parsed = rpcReceipt.safeParse(answer)
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join('.') ?? ''
    throw new ProofError('RECEIPT_INVALID', `the RPC server's receipt can't be read at "${where}"`)
  }
  const given = parsed.data
  const type = given.type ?? 0
  return {
    type,
    outcome: readOutcome(given.status, given.root),
    cumulativeGasUsed: given.cumulativeGasUsed,
    logsBloom: given.logsBloom,
    logs: given.logs,
    deposit: readDeposit(type, given.depositNonce, given.depositReceiptVersion),
    transactionIndex: given.transactionIndex,
    transactionHash: given.transactionHash,
  }
}

function readOutcome(status: bigint | null | undefined, root: Hex | null | undefined): Hex {
  if (status !== null && status !== undefined) return `0x${status.toString(16)}`
  if (root !== null && root !== undefined) return root
  throw new ProofError('RECEIPT_INVALID', 'the receipt has neither a status nor a state root')
}

/** Between Regolith and Canyon a nonce is reported but not hashed: it counts only with a version. */
function readDeposit(
  type: number,
  nonce: bigint | null | undefined,
  version: bigint | null | undefined,
): Receipt['deposit'] {
  if (type !== DEPOSIT_TYPE || version === null || version === undefined) return undefined
  if (nonce === null || nonce === undefined) {
    throw new ProofError('RECEIPT_INVALID', 'a deposit receipt has a version but no nonce')
  }
  return { nonce, version }
}
