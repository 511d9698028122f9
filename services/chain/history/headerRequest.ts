import { numberToHex } from 'viem'
import type { RpcAnswer, RpcRequest } from '../rpcPool/provider.ts'
import { RpcError } from '../rpcPool/rpcError.ts'
import { checked, type Header, rawHeaderSchema } from './rpcSchemas.ts'

/** The request for a block's header. */
export function headerRequest(block: number | 'latest'): RpcRequest {
  const params = [block === 'latest' ? block : numberToHex(block), false]
  return { method: 'eth_getBlockByNumber', params }
}

/** Reads an answer to it; null for a block that the node doesn't have. Throws RpcError and UnreadableError. */
export function headerIn(answer: RpcAnswer | undefined): Header | null {
  if (answer === undefined) throw new RpcError('unreachable', 'an empty answer')
  if ('error' in answer) throw answer.error
  return answer.result === null
    ? null
    : checked(rawHeaderSchema, answer.result, 'eth_getBlockByNumber')
}
