import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { RpcRequest } from '../rpcPool/provider.ts'

/** The request for a transaction, of which `rawTransactionSchema` reads the sender. */
export function createTransactionLookupRequest(hash: Hex): RpcRequest {
  return { method: 'eth_getTransactionByHash', params: [hash] }
}
