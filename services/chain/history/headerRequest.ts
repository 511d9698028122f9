import { numberToHex } from 'viem'
import { type RpcAnswer, type RpcRequest, resultOf } from '../rpcPool/provider.ts'
import { checked, type Header, rawHeaderSchema } from './rpcSchemas.ts'

/** The request for a block's header. */
export function headerRequest(block: number | 'latest'): RpcRequest {
  const params = [block === 'latest' ? block : numberToHex(block), false]
  return { method: 'eth_getBlockByNumber', params }
}

/** Reads an answer to it; null for a block that the node doesn't have. Throws RpcError and UnreadableError. */
export function headerIn(answer: RpcAnswer | undefined): Header | null {
  const block = resultOf(answer)
  return block === null ? null : checked(rawHeaderSchema, block, 'eth_getBlockByNumber')
}
