import { BaseError, type HttpTransport, RpcRequestError, UnknownRpcError } from 'viem'
import { z } from 'zod'
import { AnswerTooLongError, createHttpTransport } from '../services/chain/httpTransport.ts'

/** A node's answer that no node of a chain gives. The message names neither the node nor its URL. */
export class NonsenseAnswerError extends BaseError {
  override readonly name = 'NonsenseAnswerError'
  /** The JSON-RPC method that was asked. */
  readonly method: string

  constructor(method: string, cause?: Error) {
    super(`the node answers ${method} with nonsense`, cause && { cause })
    this.method = method
  }
}

const quantity = z.string().regex(/^0x[0-9a-f]{1,64}$/i)
const bytes = z.string().regex(/^0x(?:[0-9a-f]{2})*$/i)
const address = z.string().regex(/^0x[0-9a-f]{40}$/i)
const hash = z.string().regex(/^0x[0-9a-f]{64}$/i)

/** As viem reads it to find one that has replaced another. */
const transaction = z.looseObject({
  hash,
  from: address,
  to: address.nullable(),
  nonce: quantity,
  value: quantity,
  input: bytes,
})

const log = z.looseObject({ address, topics: z.array(hash), data: bytes })

/** What viem reads of answers, which it doesn't check; what else is in them doesn't matter. */
const ANSWERS: Record<string, z.ZodType> = {
  eth_blockNumber: quantity,
  eth_call: bytes,
  eth_estimateGas: quantity,
  eth_gasPrice: quantity,
  eth_getBalance: quantity,
  eth_getBlockByNumber: z
    .looseObject({
      number: quantity,
      timestamp: quantity,
      baseFeePerGas: quantity.nullish(),
      transactions: z.array(z.union([hash, transaction])).optional(),
    })
    .nullable(),
  eth_getCode: bytes,
  eth_getProof: z.looseObject({
    accountProof: z.array(bytes),
    storageProof: z.array(z.looseObject({ proof: z.array(bytes) })),
  }),
  eth_getStorageAt: quantity,
  eth_getTransactionCount: quantity,
  eth_getTransactionReceipt: z
    .looseObject({
      transactionHash: hash,
      blockNumber: quantity,
      status: quantity.nullish(),
      gasUsed: quantity,
      logs: z.array(log),
    })
    .nullable(),
  eth_maxPriorityFeePerGas: quantity,
}

/**
 * An HTTP transport that refuses nonsense, so that tools can say which node to replace instead of failing on it later.
 *
 * @throws NonsenseAnswerError from each request whose answer isn't JSON, is endless or isn't what the method gives
 */
export function createCheckedHttpTransport(
  url: string,
  options: { timeout: number; retryCount: number },
): HttpTransport {
  const create = createHttpTransport(url, options)
  return (context) => {
    const node = create(context)
    const request = async (call: { method: string }, more: object) => {
      const schema = ANSWERS[call.method]
      // A sent transaction is sent, whatever the node says of it.
      if (schema === undefined) return node.request(call as never, more)
      const result = await node.request(call as never, more).catch((error: Error) => {
        throw isNonsense(error) ? new NonsenseAnswerError(call.method, error) : error
      })
      if (schema.safeParse(result).success) return result
      throw new NonsenseAnswerError(call.method)
    }
    return { ...node, request: request as never }
  }
}

/** Whether this is about what the node answered: not JSON, too long, or an error without the fields of one. */
function isNonsense(error: unknown): boolean {
  if (!(error instanceof BaseError)) return true
  return (
    error.walk(
      (cause) =>
        cause instanceof SyntaxError ||
        cause instanceof AnswerTooLongError ||
        // viem's own, of an answer that it can't take apart.
        cause instanceof UnknownRpcError ||
        (cause instanceof RpcRequestError && typeof cause.code !== 'number'),
    ) !== null
  )
}
