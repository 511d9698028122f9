import { concat, encodeFunctionData, type Hex } from 'viem'
import { bridgeIntentV2Abi } from '../../core/abi/sdkBridgeIntentV2.ts'

/** The seven arguments of `createIntent`. */
export type CreateIntentParams = {
  tokenA: Hex
  tokenB: Hex
  /** Base units of tokenA. */
  amountA: bigint
  /** Base units of tokenB. */
  expectedAmountB: bigint
  /** Base units of tokenA, at most a fifth of `amountA`. */
  reward: bigint
  destChainId: bigint
  /** Seconds. */
  auctionDuration: bigint
}

/**
 * Calldata for `createIntent`. The contract reads the blob right after the arguments.
 *
 * @param blob from `sealCreationBlob`; without it the recipients go to `POST /store-recipients`
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
