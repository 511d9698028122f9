import { concat, encodeFunctionData, type Hex } from 'viem'
import type { CreateIntentParams } from '../../src/blob/paramsHash.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'

/**
 * Calldata of `createIntent`.
 *
 * @param blob of `sealCreationBlob`; without it the recipients go to `POST /store-recipients`
 */
export function createIntentCall(params: CreateIntentParams, blob: Hex | null = null): Hex {
  const { tokenA, tokenB, amountA, expectedAmountB, reward, destChainId, auctionDuration } = params
  const call = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'createIntent',
    args: [tokenA, tokenB, amountA, expectedAmountB, reward, destChainId, auctionDuration],
  })
  return blob === null ? call : concat([call, blob])
}
