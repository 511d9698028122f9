import { BaseError } from 'viem'
import type { RpcAnswer } from '../rpcPool/provider.ts'
import { classifyRpcError, RpcError } from '../rpcPool/rpcError.ts'
import type { SendRequests } from './readLogs.ts'

/** The part of a viem client that is used. */
type RequestClient = { request(request: never): Promise<unknown> }

/** Sends to the node of a viem client. Throws viem's error when the node doesn't answer. */
export function requestFromClient(client: RequestClient): SendRequests<null> {
  const send = async (request: unknown): Promise<RpcAnswer> => {
    try {
      return { result: await client.request(request as never) }
    } catch (error) {
      return { error: rpcErrorIn(error) }
    }
  }
  return async (requests) => ({
    answers: await Promise.all(requests.map(send)),
    provider: null,
  })
}

/**
 * Finds the node's JSON-RPC error among the causes of viem's error. Rethrows an error without one. No other node can be asked:
 * one that takes too long is asked for fewer blocks, like one that refuses.
 */
function rpcErrorIn(error: unknown): RpcError {
  const cause = error instanceof BaseError && error.walk((one) => isRpcError(one))
  if (!cause || !isRpcError(cause)) throw error
  const found = classifyRpcError({ code: cause.code, message: cause.details })
  return found.isTimeout ? new RpcError('refused', found.message, found) : found
}

function isRpcError(error: unknown): error is BaseError & { code: number } {
  return error instanceof BaseError && typeof (error as { code?: unknown }).code === 'number'
}
