import type pg from 'pg'
import type { RangeSizer } from '../../../chain/history/rangeSizer.ts'
import type { Header } from '../../../chain/history/rpcSchemas.ts'
import type { RpcPool } from '../../../chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../../config/chainConfig.ts'
import type { UnreadSearch } from './listSafes.ts'

export type FollowedChain = Pick<ChainConfig, 'name' | 'chainId' | 'startBlock' | 'tokens'>

/** Dependencies and settings of following one chain's transfers. */
export type TransferFollowerContext = {
  chain: FollowedChain
  pool: RpcPool
  db: pg.ClientBase
  /** Chooses how many blocks a request for logs covers. */
  sizer: RangeSizer
  settings: TransferSettings
  unread: UnreadSearch
  onEvent(event: TransferEvent): void
  /** Ends a read between two ranges. */
  stop?: AbortSignal | undefined
}

export type TransferSettings = {
  /** Safes per request for logs. */
  safesAtOnce: number
  /** Seconds after which a balance is read again even without a transfer. */
  refreshAfter: number
  /** Seconds without an event after which an empty Safe becomes quiet. */
  quietAfter: number
  /** Seconds after which a quiet Safe is read again. */
  quietEvery: number
  /** Maximum number of never-paid Safes that are read with their chain. */
  mostUnpaid: number
  /** Milliseconds to wait for the nodes before a round is abandoned. */
  totalTimeoutMs: number
  /** Milliseconds for a second node to give the same logs, which may take many requests. */
  secondTimeoutMs: number
}

export const DEFAULT_TRANSFER_SETTINGS: TransferSettings = {
  safesAtOnce: 500,
  refreshAfter: 3_600,
  quietAfter: 7 * 86_400,
  quietEvery: 3_600,
  mostUnpaid: 5_000,
  totalTimeoutMs: 10_000,
  secondTimeoutMs: 60_000,
}

/**
 * Size limit of an answer in bytes. Anyone can fill blocks with events that name our Safes, and a node without a limit
 * would return gigabytes of them.
 */
export const MOST_BYTES = 8 * 1024 * 1024

/** Events to log. They never name a Safe. */
export type TransferEvent =
  /** Blocks up to `to` were read again, since those read before have left the chain. */
  | { type: 'rewound'; chainId: number; to: number }
  | { type: 'trouble'; chainId: number; problem: string; detail: string }

/** The parts of a block that we need. */
export type Block = Pick<Header, 'number' | 'hash' | 'timestamp'>
