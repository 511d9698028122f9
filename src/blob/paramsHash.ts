import { encodeAbiParameters, keccak256 } from 'viem'
import type { Hex } from '../event/bridgeEvent.ts'

/** The seven arguments of `createIntent`. */
export type CreateIntentParams = {
  tokenA: Hex
  tokenB: Hex
  /** Base units of tokenA. */
  amountA: bigint
  /** Base units of tokenB. */
  expectedAmountB: bigint
  /** Base units of tokenA. */
  reward: bigint
  destChainId: bigint
  /** Seconds; of a log, `endTime` less the time of its block. */
  auctionDuration: bigint
}

const WORDS = [
  { type: 'address' },
  { type: 'address' },
  { type: 'uint256' },
  { type: 'uint256' },
  { type: 'uint256' },
  { type: 'uint256' },
  { type: 'uint256' },
] as const

/** What ties a blob to the terms of its intent: keccak256 of the seven arguments, ABI-encoded. */
export function paramsHash(params: CreateIntentParams): Hex {
  const { tokenA, tokenB, amountA, expectedAmountB, reward, destChainId, auctionDuration } = params
  return keccak256(
    encodeAbiParameters(WORDS, [
      tokenA,
      tokenB,
      amountA,
      expectedAmountB,
      reward,
      destChainId,
      auctionDuration,
    ]),
  )
}

/** The terms that an `IntentCreated` tells of, with the timestamp of its block. */
export function paramsOfLog(
  args: Omit<CreateIntentParams, 'auctionDuration'> & { endTime: bigint },
  blockTimestamp: number,
): CreateIntentParams {
  const { tokenA, tokenB, amountA, expectedAmountB, reward, destChainId, endTime } = args
  const auctionDuration = endTime - BigInt(blockTimestamp)
  return { tokenA, tokenB, amountA, expectedAmountB, reward, destChainId, auctionDuration }
}
