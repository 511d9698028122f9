import type pg from 'pg'
import type { RangePace } from '../../../chain/history/rangePace.ts'
import type { RpcPool } from '../../../chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../../config/chains.ts'

/** The chain that is followed, as far as that needs to know it. */
export type FollowedChain = Pick<ChainConfig, 'name' | 'chainId' | 'startBlock' | 'tokens'>

/** What one chain's transfers are followed with. */
export type TransferContext = {
  chain: FollowedChain
  pool: RpcPool
  db: pg.ClientBase
  /** How many blocks to ask logs of at once. */
  pace: RangePace
  settings: TransferSettings
  onEvent(event: TransferEvent): void
  /** Ends a reading between two ranges. */
  stop?: AbortSignal | undefined
}

export type TransferSettings = {
  /** Safes in one question for logs. */
  safesAtOnce: number
  /** Seconds after which a balance is asked again although no transfer was seen. */
  refreshAfter: number
  /** Seconds without an event after which an empty Safe is read once in a while only. */
  quietAfter: number
  /** Seconds after which such a Safe is read again. */
  quietEvery: number
  /** Safes to which nothing has ever come that are read with their chain at most. */
  mostUnpaid: number
  /** Milliseconds for which an answer of the nodes is waited for before the round is given up. */
  patienceMs: number
}

export const DEFAULT_TRANSFER_SETTINGS: TransferSettings = {
  safesAtOnce: 500,
  refreshAfter: 3_600,
  quietAfter: 7 * 86_400,
  quietEvery: 3_600,
  mostUnpaid: 5_000,
  patienceMs: 10_000,
}

/**
 * Bytes of one answer that are read. Anybody can fill blocks with events that name our Safes, and a node
 * without a limit of its own would hand them over by the gigabyte.
 */
export const MOST_BYTES = 8 * 1024 * 1024

/** What goes on, for the log. No event names a Safe. */
export type TransferEvent =
  /** Blocks up to `to` were read again, since those read before have left the chain. */
  | { type: 'rewound'; chainId: number; to: number }
  | { type: 'trouble'; chainId: number; problem: string; detail: string }

/** A block as far as we need it. */
export type Block = { number: number; hash: string; time: number }
