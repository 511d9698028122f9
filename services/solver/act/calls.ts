import { encodeFunctionData, erc20Abi, type Hex, maxUint256 } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { SeenIntent } from '../plan/snapshot.ts'
import type { Payees } from './fetchRecipients.ts'

export function bidCall({ intentId }: SeenIntent, amountB: bigint): Hex {
  return encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'placeBid',
    args: [intentId, amountB],
  })
}

export function depositCall({ intentId }: SeenIntent, amountB: bigint): Hex {
  return encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'depositAndPickup',
    args: [intentId, amountB],
  })
}

export function deliverCall(
  { sourceChainId, intentId, tokenB }: SeenIntent,
  { recipients, amounts }: Payees,
): Hex {
  return encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'solveIntent',
    args: [BigInt(sourceChainId), intentId, tokenB, recipients, amounts],
  })
}

/**
 * Lets the bridge take as much as it needs, once and for all; some tokens want an allowance that is
 * there already taken back first.
 */
export function approveCall(bridge: Hex, allowed: bigint): Hex {
  const amount = allowed === 0n ? maxUint256 : 0n
  return encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [bridge, amount] })
}
