import { BaseError, ContractFunctionRevertedError, ContractFunctionZeroDataError } from 'viem'

/**
 * Whether a view that never reverts failed because its address has another contract or none. Otherwise the node didn't answer,
 * which says nothing of the address.
 */
export function isFromOtherContract(error: unknown): boolean {
  const isAnswer = (cause: unknown) =>
    cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError
  return error instanceof BaseError && error.walk(isAnswer) !== null
}
