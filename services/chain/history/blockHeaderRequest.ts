import { numberToHex } from 'viem'
import { type RpcAnswer, type RpcRequest, resultOf } from '../rpcPool/provider.ts'
import { type Header, parseAnswer, rawHeaderSchema } from './rpcSchemas.ts'

export function createBlockHeaderRequest(block: number | 'latest'): RpcRequest {
  const params = [block === 'latest' ? block : numberToHex(block), false]
  return { method: 'eth_getBlockByNumber', params }
}

/** Parses the answer to `createBlockHeaderRequest`; null if the node lacks the block. Throws RpcError or UnusableAnswerError. */
export function parseHeader(answer: RpcAnswer | undefined): Header | null {
  const block = resultOf(answer)
  return block === null ? null : parseAnswer(rawHeaderSchema, block, 'eth_getBlockByNumber')
}
