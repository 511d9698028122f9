import { keccak256 } from 'viem'
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

/**
 * What ties a blob to the terms of its intent: keccak256 of the seven arguments, ABI-encoded (a word each).
 *
 * @param keccak another keccak256, for who hashes the terms of many
 */
export function paramsHash(
  params: CreateIntentParams,
  keccak: (bytes: Hex) => Hex = keccak256,
): Hex {
  const { tokenA, tokenB, amountA, expectedAmountB, reward, destChainId, auctionDuration } = params
  const numbers = [amountA, expectedAmountB, reward, destChainId, auctionDuration]
  const words = [
    ...[tokenA, tokenB].map((token) => token.slice(2).toLowerCase()),
    ...numbers.map(hexOf),
  ]
  return keccak(`0x${words.map((word) => word.padStart(WORD_DIGITS, '0')).join('')}`)
}

const WORD_DIGITS = 64

function hexOf(value: bigint): string {
  if (value < 0n || value >= 1n << 256n) throw new RangeError('a term is out of range')
  return value.toString(16)
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
