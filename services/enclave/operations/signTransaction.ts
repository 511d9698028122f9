import { keccak256 } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import { type Handler, requireChain } from '../operationContext.ts'
import { isAllowedTransaction } from '../transactions/transactionPolicy.ts'

/** Signs an EIP-1559 transaction of the relayer's account, if the policy allows it. */
export const signTransaction: Handler<'signTransaction'> = async (context, request) => {
  const { chainId, nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas } = request
  if (!isAllowedTransaction(context, requireChain(context, chainId), request)) {
    throw new EnclaveError('TRANSACTION_NOT_ALLOWED')
  }
  const { relayer } = context.keyring
  const fees = { gas, maxFeePerGas, maxPriorityFeePerGas }
  const serialized = await relayer.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    to,
    data,
    value: 0n,
    ...fees,
  })
  const from = relayer.address.toLowerCase() as Hex
  return { serialized, hash: keccak256(serialized), from }
}
