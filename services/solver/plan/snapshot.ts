import type { Address } from 'viem'

/** What the contracts say of one intent, and of our delivery of it. Amounts are in base units. */
export type SeenIntent = {
  sourceChainId: number
  intentId: bigint
  destChainId: number
  phase: 'open' | 'deposited' | 'settled' | 'cancelled' | 'refunded'
  /** Whether the phase has as many blocks on top as the chain's `confirmations`. */
  isDeep: boolean
  tokenA: Address
  tokenB: Address
  amountA: bigint
  expectedAmountB: bigint
  reward: bigint
  /** Unix seconds of the source chain. */
  endTime: number
  /** 0 until anchored. */
  feeBps: number
  /** Best bidder while open (null: no bid), the winner once deposited. */
  solver: Address | null
  /** Best bid while open, the winner's commitment once deposited. */
  amountB: bigint
  /** Unix seconds; 0 until deposited. */
  fillDeadline: number
  /** Our delivery on the destination chain. */
  delivery: { chain2IntentId: bigint; isDeep: boolean } | null
}

/** One chain at one block, as far as a solver needs it. */
export type SeenChain = {
  chainId: number
  blockNumber: bigint
  /** The block's timestamp, unix seconds. */
  time: number
  /** Seconds of each of the two pickup windows. */
  pickupWindow: number
  /** Our native coins, wei. */
  native: bigint
  /** Our tokens by address in lower case. */
  balances: ReadonlyMap<string, bigint>
  /** What the bridge may take of them. */
  allowances: ReadonlyMap<string, bigint>
}

/** A transaction of ours whose outcome the snapshot doesn't show yet. */
export type UnderWay =
  | { kind: 'approve'; chainId: number; token: string }
  | {
      kind: 'bid' | 'deposit' | 'deliver'
      sourceChainId: number
      intentId: bigint
      /** Base units of tokenB that it commits us to. */
      amountB: bigint
    }

/** Everything that a round of decisions is taken on: the chains' word, each at one block. */
export type Snapshot = {
  /** Our account. */
  solver: Address
  chains: ReadonlyMap<number, SeenChain>
  intents: readonly SeenIntent[]
  underWay: readonly UnderWay[]
  /** Whether every chain answered: else nobody knows what is bound already, and nothing new is begun. */
  isWhole: boolean
}
