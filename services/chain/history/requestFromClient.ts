import { BaseError } from 'viem'
import type { RpcAnswer } from '../rpcPool/provider.ts'
import { classifyRpcError } from '../rpcPool/rpcError.ts'
import type { SendRequests } from './readLogs.ts'

/** What of a viem client is needed. */
type RequestClient = {
  request(request: never): Promise<unknown>
}

/** Asks the node of a viem client. Throws what viem throws when it doesn't answer. */
export function requestFromClient(client: RequestClient): SendRequests<null> {
  const answerOf = async (request: unknown): Promise<RpcAnswer> => {
    try {
      return { result: await client.request(request as never) }
    } catch (error) {
      return { error: refusalIn(error) }
    }
  }
  return async (requests) => ({
    answers: await Promise.all(requests.map(answerOf)),
    provider: null,
  })
}

/** The node's own words are in the JSON-RPC error somewhere below viem's. */
function refusalIn(error: unknown) {
  const said = error instanceof BaseError && error.walk((one) => isRpcError(one))
  if (said && isRpcError(said)) return classifyRpcError({ code: said.code, message: said.details })
  throw error
}

function isRpcError(error: unknown): error is BaseError & { code: number } {
  return error instanceof BaseError && typeof (error as { code?: unknown }).code === 'number'
}
