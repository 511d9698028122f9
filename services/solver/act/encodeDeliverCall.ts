import { decodeFunctionData, type Hex } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { encodeBridgeCall } from '../../chain/encodeBridgeCall.ts'
import type { IntentSnapshot } from '../plan/solverSnapshot.ts'
import type { Payees } from './fetchRecipients.ts'

/** Reverts once a delivery would be too late to be paid. */
export function encodeDeliverCall(
  { sourceChainId, intentId, paramsHash, tokenB, fillDeadline }: IntentSnapshot,
  { recipients, amounts }: Payees,
): Hex {
  const terms = [BigInt(sourceChainId), intentId, paramsHash, tokenB] as const
  return encodeBridgeCall('solveIntent', [...terms, recipients, amounts, BigInt(fillDeadline - 1)])
}

/** The number of recipients in a call from `encodeDeliverCall`; 0 for any other call. */
export function countRecipients(data: Hex): number {
  try {
    const { functionName, args } = decodeFunctionData({ abi: bridgeIntentV2Abi, data })
    return functionName === 'solveIntent' ? args[4].length : 0
  } catch {
    return 0
  }
}
