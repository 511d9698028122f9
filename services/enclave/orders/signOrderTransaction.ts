import { keccak256 } from 'viem'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import { type Handler, type OperationContext, requireChain } from '../operationContext.ts'
import type { CheckedRequest } from '../operationSchemas.ts'
import { isBounded, toSelectors } from '../transactions/transactionPolicy.ts'
import { deriveOrderAccount } from './orderKeys.ts'

/** The calls that the account pays for: those of the vault that anyone may send. */
const VAULT_CALLS = toSelectors(orderVaultAbi, [
  'fundOrder',
  'fireTranche',
  'closeOrder',
  'closeOrderSigned',
])

/**
 * Signs an EIP-1559 transaction of the orders' account: to a vault, without value and of bounded cost. An empty
 * transaction to itself is allowed too, to fill a gap in its nonces.
 */
export const signOrderTransaction: Handler<'signOrderTransaction'> = async (context, request) => {
  const account = deriveOrderAccount(context)
  const from = account.address.toLowerCase() as Hex
  if (!isAllowed(context, from, request)) throw new EnclaveError('TRANSACTION_NOT_ALLOWED')
  const serialized = await account.signTransaction({ ...request, type: 'eip1559', value: 0n })
  return { serialized, hash: keccak256(serialized), from }
}

function isAllowed(
  context: OperationContext,
  account: Hex,
  request: CheckedRequest<'signOrderTransaction'>,
): boolean {
  const { chainId, to, data } = request
  const chain = requireChain(context, chainId)
  if (!isBounded(chain, request)) return false
  if (to === account) return data === '0x'
  return to === chain.vault && VAULT_CALLS.has(data.slice(0, 10))
}
