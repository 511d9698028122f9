import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { ChainLock } from './chainLock.ts'

/**
 * State of one chain's index.
 *
 * - `waiting`: not running, for the reason in `problem`
 * - `starting`: Ponder is starting
 * - `backfilling`: folding the history for the first time; see `progress`
 * - `resuming`: catching up with the head that the chain had at the start, or with the index that readers see
 * - `live`: following the head
 * - `superseded`: readers see another build; this supervisor leaves the chain alone
 * - `stopped`
 */
type ChainState =
  | 'waiting'
  | 'starting'
  | 'backfilling'
  | 'resuming'
  | 'live'
  | 'superseded'
  | 'stopped'

export type ChainStatus = {
  name: string
  chainId: number
  schema: string
  state: ChainState
  /** Completed share of the first backfill, 0 to 1. */
  progress: number
  /** Why the index doesn't follow its chain; null when it does. */
  problem: string | null
  /** Process id of the chain's Ponder, while it runs. */
  pid: number | null
}

/** Context shared by everything that supervises one chain. */
export type Supervision = {
  chain: ChainConfig
  /** Hash of the code and contracts that determine the rows. */
  build: string
  /** The chain's database schema under this build. */
  schema: string
  databaseUrl: string
  pool: Pool
  /** The project's directory. */
  root: string
  log: Logger
  /** Aborted when the supervisor stops. */
  signal: AbortSignal
  /** Changes the chain's status, notifies listeners and, with the chain's lock, records a new problem in the database. */
  report(change: Partial<ChainStatus>): void
  /**
   * Records the status in the database now and when it changes, until called with null. The chain's row belongs to the
   * lock's holder: whoever waits for the lock writes nothing. Resolves once everything is recorded.
   */
  publishThrough(lock: ChainLock | null): Promise<void>
  status(): Readonly<ChainStatus>
}
