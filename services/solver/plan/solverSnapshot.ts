import type { Address, Hex } from 'viem'
import type { Phase } from '../../../core/proof/storage/intentRecord.ts'
import { tokenKey } from '../policy/policy.ts'
import { pendingAbout } from './pendingAbout.ts'

/** An intent and our delivery of it, as the contracts have them. Amounts in base units. */
export type IntentSnapshot = {
  sourceChainId: number
  intentId: bigint
  destChainId: number
  phase: Exclude<Phase, 'none'>
  /**
   * Whether the chain's `confirmations` blocks are on top: for an open intent of its creation with these terms,
   * otherwise of its phase and winner.
   */
  isConfirmed: boolean
  tokenA: Address
  tokenB: Address
  amountA: bigint
  expectedAmountB: bigint
  reward: bigint
  /** Hash that we computed from the terms. */
  paramsHash: Hex
  /** Commitment to every blob on chain up to `firmAt`. */
  blobsHash: Hex
  /** Unix seconds of the source chain. */
  endTime: number
  /** Unix seconds of the source chain. From then on the recipients are fixed, and an intent with a bid can't be cancelled. */
  firmAt: number
  /** 0 until anchored. */
  feeBps: number
  /** Most recipients; 0 until anchored. */
  recipientClass: number
  /** Enclaves that must sign the recipients revealed to us. */
  quorum: number
  /** Whether the winner asked for the recipients on chain. */
  asked: boolean
  /** Whether the recipients, sealed to the winner, are on chain. */
  revealed: boolean
  /** The best bidder while open (null: no bid), the winner once deposited. */
  solver: Address | null
  /** The best bid while open, the winner's commitment once deposited. */
  amountB: bigint
  /** Unix seconds; 0 until deposited. */
  fillDeadline: number
  /** Our delivery on the destination chain. */
  delivery: { chain2IntentId: bigint; isConfirmed: boolean } | null
}

/** What a solver reads from one chain at one block. */
export type ChainSnapshot = {
  chainId: number
  blockNumber: bigint
  /** The block's timestamp, unix seconds. */
  time: number
  /** What the next block's timestamp would be, from `estimateClock`: at least `time`. */
  clock: number
  /** Seconds between the latest blocks. */
  blockSeconds: number
  /** Whether it has produced no block for so long that it counts as stalled. */
  isStalled: boolean
  /** Length of each of the two pickup windows, in seconds. */
  pickupWindow: number
  /** Seconds from a deposit to the deadline of its delivery. */
  executionWindow: number
  /** Most wei per gas that a transaction may have to offer now. */
  gasPrice: bigint
  /** What it pays if the base fee stays. */
  likelyGasPrice: bigint
  /** Most that we pay. */
  gasPriceCap: bigint
  /** Most gas that a block may use. */
  blockGas: bigint
  /** Our balance of the native coin, in wei. */
  native: bigint
  /** Our token balances, by lower-case address; here and below without tokens that don't answer. */
  balances: ReadonlyMap<string, bigint>
  /** Our allowances for the bridge. */
  allowances: ReadonlyMap<string, bigint>
  /** What the tokens themselves say. */
  decimals: ReadonlyMap<string, number>
  stakes: ReadonlyMap<string, { total: bigint; locked: bigint }>
  credits: ReadonlyMap<string, bigint>
  /** Whose sealing key the bridge holds for our account. With another's we couldn't decrypt recipients. */
  sealingKey: 'ours' | 'none' | 'other'
}

/** Our transaction whose effect the snapshot doesn't show yet. */
export type PendingTransaction =
  | { kind: 'approve' | 'stake' | 'unstake' | 'claim'; chainId: number; token: string }
  | { kind: 'seal'; chainId: number }
  | PendingIntentTransaction

export type PendingIntentTransaction = {
  kind: 'bid' | 'deposit' | 'ask' | 'deliver'
  sourceChainId: number
  intentId: bigint
  /** Our commitment, in base units of tokenB. */
  amountB: bigint
}

/** All that a round decides on: each chain at one block. */
export type Snapshot = {
  /** Our account. */
  solver: Address
  chains: ReadonlyMap<number, ChainSnapshot>
  intents: readonly IntentSnapshot[]
  pending: readonly PendingTransaction[]
  /** Whether every chain answered. If not, some commitments are unknown, and the round starts nothing new. */
  isWhole: boolean
}

/** Whether a transaction of one of these kinds is pending for a token. */
export function isTokenPending(
  snapshot: Pick<Snapshot, 'pending'>,
  kinds: readonly PendingTransaction['kind'][],
  chainId: number,
  token: string,
): boolean {
  return pendingAbout(snapshot, tokenKey(chainId, token)).some(({ kind }) => kinds.includes(kind))
}
