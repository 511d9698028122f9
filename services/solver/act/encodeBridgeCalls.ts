import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  maxUint256,
} from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { encodeBridgeCall } from '../../chain/encodeBridgeCall.ts'
import type { SealingPoint } from '../chain/readFunds.ts'
import type { IntentSnapshot } from '../plan/solverSnapshot.ts'
import type { Payees } from './fetchRecipients.ts'

export function encodeBidCall({ intentId }: IntentSnapshot, amountB: bigint): Hex {
  return encodeBridgeCall('placeBid', [intentId, amountB])
}

/** Names the terms and blobs that we have read: the call reverts if the chain has others. */
export function encodeDepositCall(
  { intentId, paramsHash, blobsHash }: IntentSnapshot,
  amountB: bigint,
): Hex {
  return encodeBridgeCall('depositAndPickup', [intentId, paramsHash, blobsHash, amountB])
}

export function encodeAskCall({ intentId }: IntentSnapshot): Hex {
  return encodeBridgeCall('askRecipients', [intentId])
}

/** Reverts once a delivery would be too late to be paid. */
export function encodeDeliverCall(
  { sourceChainId, intentId, paramsHash, tokenB, fillDeadline }: IntentSnapshot,
  { recipients, amounts }: Payees,
): Hex {
  const terms = [BigInt(sourceChainId), intentId, paramsHash, tokenB] as const
  return encodeBridgeCall('solveIntent', [...terms, recipients, amounts, BigInt(fillDeadline - 1)])
}

/** The number of recipients of a call of `encodeDeliverCall`; 0 if it is another. */
export function countRecipients(data: Hex): number {
  try {
    const { functionName, args } = decodeFunctionData({ abi: bridgeIntentV2Abi, data })
    return functionName === 'solveIntent' ? args[4].length : 0
  } catch {
    return 0
  }
}

/** Approves the bridge without limit. Some tokens require revoking an existing allowance first. */
export function encodeApproveCall(bridge: Hex, allowed: bigint): Hex {
  const amount = allowed === 0n ? maxUint256 : 0n
  return encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [bridge, amount] })
}

export function encodeSealingKeyCall({ x, y }: SealingPoint): Hex {
  return encodeBridgeCall('setSealingKey', [x, y])
}

export function encodeStakeCall(name: 'stake' | 'unstake', token: Address, amount: bigint): Hex {
  return encodeBridgeCall(name, [token, amount])
}

export function encodeClaimCall(token: Address, to: Address): Hex {
  return encodeBridgeCall('claim', [token, to])
}
