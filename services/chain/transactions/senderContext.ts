import type pg from 'pg'
import type { Address, Hash, Hex } from 'viem'
import type { DataFees } from './dataFees.ts'
import type { Market } from './fees.ts'
import type { Nodes } from './nodes.ts'
import type { Transaction } from './transaction.ts'

/** What is signed. */
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

/** Signs as the account, or rejects. `row` is what it is for. */
export type SignTransaction = (
  transaction: UnsignedTransaction,
  row: Transaction,
) => Promise<{ serialized: Hex; hash: Hash }>

/** Moments in a transaction's life between which a process can die. */
export type Phase = 'chosen' | 'signed' | 'saved' | 'sent' | 'mined' | 'confirmed'

/** What a sender reports. */
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
  | { type: 'trouble'; problem: string; detail: string }

export type SenderSettings = {
  /** Blocks on top of a transaction's own before it counts as done. */
  confirmations: number
  /** Wei for each gas, at most. */
  maxFeePerGas: bigint
  /**
   * Milliseconds that the first in line may wait, while blocks come, before it is replaced at a higher
   * fee; also what a transaction that isn't ours may keep the first nonce, and the pause before one
   * that no node accepts is signed again.
   */
  bumpAfterMs: number
  /** Milliseconds after which a transaction without a block is sent again, in case it was dropped. */
  resendAfterMs: number
  /** Transactions under way at most. */
  atOnce: number
  /**
   * Milliseconds without an answer from the database after which nothing is sent; see `takeLease`.
   */
  leaseMs: number
}

/** One account on one chain at work. */
export type SenderContext = SenderSettings & {
  chainId: number
  account: Address
  /** Every provider: for reading, for sending and for asking whether any has got something. */
  nodes: Nodes
  /** What data costs beside gas. */
  dataFees: DataFees
  /** Transactions that are sent at once: more while nodes take them, one again once they refuse any. */
  pace: { width: number }
  /** Transactions of the account that are deep in blocks, as far as the database shows. */
  spent: { count: number }
  /** Called before anything is sent. @throws LeaseLostError when another process may be sending by now */
  requireLead: () => void
  sign: SignTransaction
  /**
   * Whether a transaction is stale although the chain would still accept it: it is then no longer
   * sent, and a cancellation takes its nonce if a node may have it already.
   */
  isStale: (transaction: Transaction) => Promise<boolean>
  /** Gas that a call gets at least, whatever nodes estimate: 0 where only they know. */
  leastGas: (transaction: Transaction) => bigint
  onEvent: (event: SenderEvent) => void
  /** Called at each moment between which the process can die; a test dies there. */
  onPhase: (phase: Phase, transaction: Transaction) => void
}

export const DEFAULT_SENDER_SETTINGS: Omit<SenderSettings, 'confirmations'> = {
  maxFeePerGas: 500_000_000_000n,
  bumpAfterMs: 30_000,
  resendAfterMs: 10_000,
  atOnce: 512,
  leaseMs: 3_000,
}

/** What the chain's nodes said at the beginning of a pass: see `chainView`. */
export type ChainView = {
  /** The latest block that is certain. */
  head: number
  /** The latest that a node may have seen: more than `head` only where nodes differ. */
  newestHead: number
  /** Transactions of the account in blocks: the lowest nonce that the chain still takes. */
  next: number
  /** So many may be in blocks already: more than `next` only where nodes differ. */
  mostNext: number
  /** The same with those that wait for a block. */
  pending: number
  /** Wei. */
  balance: bigint
  /** Gas of a block at most. */
  blockGas: bigint
  market: Market
}

/** One pass over an account's transactions: what it works with, and the chain as it found it. */
export type Pass = { context: SenderContext; db: pg.ClientBase; view: ChainView }
