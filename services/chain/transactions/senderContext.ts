import type pg from 'pg'
import type { Address, Hash, Hex } from 'viem'
import type { ChainNodes } from './chainNodes.ts'
import type { RollupDataFees } from './rollupDataFees.ts'
import type { Market } from './transactionFees.ts'
import type { Transaction } from './transactionRow.ts'

/** A transaction before it is signed. */
type UnsignedTransaction = {
  chainId: number
  nonce: number
  to: Address
  data: Hex
  value: bigint
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** Signs as the account, or rejects. `row` is the request behind the transaction. */
export type SignTransaction = (
  transaction: UnsignedTransaction,
  row: Transaction,
) => Promise<{ serialized: Hex; hash: Hash }>

/** Points in a transaction's life between which a process can die. */
export type Phase = 'chosen' | 'signed' | 'saved' | 'sent' | 'mined' | 'confirmed'

export type SenderEvent =
  | {
      type: 'signed' | 'replaced' | 'cancelled'
      transaction: Transaction
      hash: Hash
      nonce: number
    }
  | { type: 'sent' | 'mined' | 'confirmed' | 'taken-back'; transaction: Transaction; hash: Hash }
  | { type: 'failed' | 'superseded'; transaction: Transaction; problem: string }
  | { type: 'waits'; transaction: Transaction; problem: string; detail: string }
  | { type: 'trouble'; chainId: number; problem: string; detail: string }

export type SenderSettings = {
  /** Blocks on top of a transaction's own before it counts as confirmed. */
  confirmations: number
  /** Limit on the price of gas, in wei. */
  maxFeePerGas: bigint
  /**
   * Milliseconds before the transaction with the lowest nonce, left out of new blocks, is replaced at a higher fee. Also
   * how long a foreign transaction may hold that nonce, and the pause before a refused one is signed again.
   */
  bumpAfterMs: number
  /** Milliseconds after which an unmined transaction is sent again, in case nodes have dropped it. */
  resendAfterMs: number
  maxUnmined: number
  /** Milliseconds without an answer from the database after which nothing is sent; see `acquireLease`. */
  leaseMs: number
}

export type SenderContext = SenderSettings & {
  chainId: number
  account: Address
  nodes: ChainNodes
  /** Cost of data on the parent chain. */
  dataFees: RollupDataFees
  progress: {
    /** Transactions sent together: grows while nodes accept them, and is 1 again after a refusal. */
    windowSize: number
    /** How many transactions of the account are confirmed, as far as the database shows. */
    confirmedCount: number
    /** By used nonce, since when no node has shown our transaction in a block, by `performance.now()`. */
    missingSince: ReadonlyMap<number, number>
  }
  /** Called before each broadcast. @throws when another process may be sending by now */
  requireLease: () => void
  sign: SignTransaction
  /**
   * Whether a transaction is no longer desired, although the chain would still accept it. A stale transaction isn't sent;
   * if a node may have it already, a cancellation takes its nonce.
   */
  isStale: (transaction: Transaction) => Promise<boolean>
  /**
   * Whether a call would come too late if it waited for the confirmations of a foreign transaction that has used its nonce.
   * Only for calls that have their effect once, since both versions may be mined after a reorg.
   */
  isUrgent: (transaction: Transaction) => boolean
  /** Minimum gas limit of a call, whatever nodes estimate; 0 if there is none. `payable`: the gas that the balance covers. */
  leastGas: (transaction: Transaction, payable: bigint) => bigint
  onEvent: (event: SenderEvent) => void
  /** Called at each `Phase`, so that tests can kill the process there. */
  onPhase: (phase: Phase, transaction: Transaction) => void
}

export const DEFAULT_SENDER_SETTINGS: Omit<SenderSettings, 'confirmations'> = {
  maxFeePerGas: 500_000_000_000n,
  bumpAfterMs: 30_000,
  resendAfterMs: 10_000,
  maxUnmined: 512,
  leaseMs: 3_000,
}

/** The chain as its nodes reported it at the start of a pass; see `combineViewReports`. */
export type ChainView = {
  /** The latest block by the providers' agreement. */
  head: number
  /** The latest block that any provider may have; above `head` only where they differ. */
  newestHead: number
  /** Number of the account's mined transactions, which is its lowest unused nonce. */
  next: number
  /** The same by the providers that report the most; above `next` only where they differ. */
  highestNext: number
  /** The same including transactions that wait for a block. */
  pending: number
  /** Whether one of several providers alone reported these counts: it may have invented them. */
  isByOne: boolean
  /** Wei. */
  balance: bigint
  /** The block gas limit. */
  blockGas: bigint
  market: Market
}

/** What one pass over an account's transactions works with. */
export type Pass = { context: SenderContext; db: pg.ClientBase; view: ChainView }
