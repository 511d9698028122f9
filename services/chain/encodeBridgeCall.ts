import {
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  type Hex,
} from 'viem'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'

type Abi = typeof bridgeIntentV2Abi

export function encodeBridgeCall<Name extends ContractFunctionName<Abi, 'nonpayable'>>(
  functionName: Name,
  args: ContractFunctionArgs<Abi, 'nonpayable', Name>,
): Hex {
  return encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args } as never)
}
