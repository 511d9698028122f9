import type pg from 'pg'
import type { RangeSizer } from '../../../chain/history/rangeSizer.ts'
import type { Header } from '../../../chain/history/rpcSchemas.ts'
import type { RpcPool } from '../../../chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../../config/chainConfig.ts'

/** What following needs to know of its chain. */
export type FollowedChain = Pick<ChainConfig, 'name' | 'chainId' | 'startBlock' | 'tokens'>

/** What one chain's transfers are followed with. */
export type TransferFollowerContext = {
  chain: FollowedChain
  pool: RpcPool
  db: pg.ClientBase
  /** How many blocks to ask logs of at once. */
  sizer: RangeSizer
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
  /** Seconds without an event after which an empty Safe becomes quiet. */
  quietAfter: number
  /** Seconds after which a quiet Safe is read again. */
  quietEvery: number
  /** Never-paid Safes that are read with their chain, at most. */
  mostUnpaid: number
  /** Milliseconds for which an answer of the nodes is waited for before the round is given up. */
  totalTimeoutMs: number
}

export const DEFAULT_TRANSFER_SETTINGS: TransferSettings = {
  safesAtOnce: 500,
  refreshAfter: 3_600,
  quietAfter: 7 * 86_400,
  quietEvery: 3_600,
  mostUnpaid: 5_000,
  totalTimeoutMs: 10_000,
}

/**
 * Bytes of one answer that are read. Anyone can fill blocks with events that name our Safes, and a node
 * without a limit would return gigabytes of them.
 */
export const MOST_BYTES = 8 * 1024 * 1024

/** Events for the log. None names a Safe. */
export type TransferEvent =
  /** Blocks up to `to` were read again, since those read before have left the chain. */
  | { type: 'rewound'; chainId: number; to: number }
  | { type: 'trouble'; chainId: number; problem: string; detail: string }

/** The parts of a block that we need. */
export type Block = Pick<Header, 'number' | 'hash' | 'timestamp'>
