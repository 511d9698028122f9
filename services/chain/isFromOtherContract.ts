import { BaseError, ContractFunctionZeroDataError } from 'viem'
import { revertOf } from './transactions/simulateCall.ts'

/**
 * Whether a view that never reverts failed because its address has another contract or none. Otherwise the node didn't answer,
 * which says nothing of the address. viem's own error doesn't tell: it takes any internal error of a node for a revert.
 */
export function isFromOtherContract(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const isEmpty = error.walk((cause) => cause instanceof ContractFunctionZeroDataError) !== null
  return isEmpty || revertOf(error) !== null
}
