import { BaseError, ContractFunctionZeroDataError } from 'viem'
import { revertOf } from './transactions/simulateCall.ts'

/**
 * Handles the failure of a view that never reverts: the value if its address has another contract or none. Any other failure
 * is thrown: the node didn't answer, which says nothing of the address. viem's own error doesn't tell: it takes any internal
 * error of a node for a revert.
 */
export function ifFromOtherContract<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    const isEmpty = (cause: unknown) => cause instanceof ContractFunctionZeroDataError
    if (error instanceof BaseError && (error.walk(isEmpty) !== null || revertOf(error) !== null))
      return value
    throw error
  }
}
