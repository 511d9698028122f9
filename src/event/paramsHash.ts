import { keccak256 } from 'viem'
import type { Hex } from './bridgeEvent.ts'

/** What an intent was created with, and by which bridge: what `paramsHash` ties everything to. */
export type IntentTerms = {
  /** Chain of the intent. */
  chainId: number | bigint
  /** The bridge that holds the escrow. */
  bridge: Hex
  /** The intent's sender, who may differ from the transaction's. */
  user: Hex
  tokenA: Hex
  tokenB: Hex
  /** Base units of tokenA. */
  amountA: bigint
  /** Base units of tokenB. */
  expectedAmountB: bigint
  /** Base units of tokenA. */
  reward: bigint
  destChainId: number | bigint
  /** Seconds, as `createIntent` was told: see `auctionDurationOf`. */
  auctionDuration: number | bigint
}

/** A keccak256. */
export type Keccak = (bytes: Hex) => Hex

/**
 * Identifies one intent's terms, on any chain and bridge, as the contract does: keccak256 of chain,
 * bridge, sender and the seven arguments of `createIntent`, ABI-encoded (a word each). So nothing carries
 * over when a reorg gives an id to another intent.
 *
 * @param keccak another keccak256, to hash the terms of many
 */
export function paramsHash(terms: IntentTerms, keccak: Keccak = (bytes) => keccak256(bytes)): Hex {
  const words = [
    wordOf(terms.chainId),
    addressWord(terms.bridge),
    addressWord(terms.user),
    addressWord(terms.tokenA),
    addressWord(terms.tokenB),
    wordOf(terms.amountA),
    wordOf(terms.expectedAmountB),
    wordOf(terms.reward),
    wordOf(terms.destChainId),
    wordOf(terms.auctionDuration),
  ]
  return keccak(`0x${words.join('')}`)
}

/**
 * How long an auction was asked to take, in seconds: its end less the time of the block that created it.
 * No event repeats it.
 */
export function auctionDurationOf(endTime: number, createdAt: number): number
export function auctionDurationOf(endTime: bigint, createdAt: bigint | number): bigint
export function auctionDurationOf(
  endTime: bigint | number,
  createdAt: bigint | number,
): bigint | number {
  if (typeof endTime === 'bigint') return endTime - BigInt(createdAt)
  return endTime - Number(createdAt)
}

/** Hex digits of a word. */
const WORD = 64

function addressWord(address: Hex): string {
  return address.slice(2).toLowerCase().padStart(WORD, '0')
}

function wordOf(value: number | bigint): string {
  const whole = BigInt(value)
  if (whole < 0n || whole >= 1n << 256n) throw new RangeError('a term is out of range')
  return whole.toString(16).padStart(WORD, '0')
}
