import type { Address, Hex } from 'viem'
import { tokenKey } from '../policy/policy.ts'

/** One intent in the contracts, and our delivery of it. Amounts are in base units. */
export type SeenIntent = {
  sourceChainId: number
  intentId: bigint
  destChainId: number
  phase: 'open' | 'deposited' | 'settled' | 'cancelled' | 'refunded'
  /**
   * Whether it has as many blocks on top as the chain's `confirmations`: an open one the creation by these
   * terms, any other its phase and its winner.
   */
  isDeep: boolean
  tokenA: Address
  tokenB: Address
  amountA: bigint
  expectedAmountB: bigint
  reward: bigint
  /** Hash of the terms, by the terms themselves. */
  paramsHash: Hex
  /** Commitment to every blob on chain up to `firmAt`. */
  blobsHash: Hex
  /** Unix seconds of the source chain. */
  endTime: number
  /**
   * Unix seconds of the source chain: from then on recipients are firm, and an intent with a bid can't
   * be cancelled.
   */
  firmAt: number
  /** 0 until anchored. */
  feeBps: number
  /** Most recipients; 0 until anchored. */
  recipientClass: number
  /** Enclaves that must have signed what is revealed to us. */
  quorum: number
  /** Whether the winner has said that it has no recipients. */
  asked: boolean
  /** Whether the recipients, sealed to the winner, are on chain. */
  revealed: boolean
  /** Best bidder while open (null: no bid), the winner once deposited. */
  solver: Address | null
  /** Best bid while open, the winner's commitment once deposited. */
  amountB: bigint
  /** Unix seconds; 0 until deposited. */
  fillDeadline: number
  /** Our delivery on the destination chain. */
  delivery: { chain2IntentId: bigint; isDeep: boolean } | null
}

/** What a solver needs of one chain at one block. */
export type SeenChain = {
  chainId: number
  blockNumber: bigint
  /** The block's timestamp, unix seconds. */
  time: number
  /** Seconds between blocks, by the latest ones. */
  blockSeconds: number
  /** Seconds of each of the two pickup windows. */
  pickupWindow: number
  /** Seconds from a deposit to the deadline of its delivery. */
  executionWindow: number
  /** Our native coins, wei. */
  native: bigint
  /** Our tokens by address in lower case. */
  balances: ReadonlyMap<string, bigint>
  /** Our allowances for the bridge. */
  allowances: ReadonlyMap<string, bigint>
  stakes: ReadonlyMap<string, { total: bigint; locked: bigint }>
  credits: ReadonlyMap<string, bigint>
  /** Whose sealing key the bridge has for our account: with another's we couldn't open recipients. */
  sealingKey: 'ours' | 'none' | 'other'
}

/** A transaction of ours whose outcome the snapshot doesn't show yet. */
export type UnderWay =
  | { kind: 'approve' | 'stake' | 'unstake' | 'claim'; chainId: number; token: string }
  | { kind: 'seal'; chainId: number }
  | UnderWayForIntent

export type UnderWayForIntent = {
  kind: 'bid' | 'deposit' | 'ask' | 'deliver'
  sourceChainId: number
  intentId: bigint
  /** Base units of tokenB that it commits us to. */
  amountB: bigint
}

/** Everything that a round's decisions are based on: each chain at one block. */
export type Snapshot = {
  /** Our account. */
  solver: Address
  chains: ReadonlyMap<number, SeenChain>
  intents: readonly SeenIntent[]
  underWay: readonly UnderWay[]
  /** Whether every chain answered: otherwise the commitments are unknown, and nothing new is begun. */
  isWhole: boolean
}

/** Whether a transaction of one of these kinds about our token is under way. */
export function isTokenUnderWay(
  { underWay }: Pick<Snapshot, 'underWay'>,
  kinds: readonly UnderWay['kind'][],
  chainId: number,
  token: string,
): boolean {
  return underWay.some(
    (one) =>
      'token' in one &&
      kinds.includes(one.kind) &&
      tokenKey(one.chainId, one.token) === tokenKey(chainId, token),
  )
}
