import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { ChainConfig } from '../config/chainConfig.ts'

/**
 * State of one chain's index.
 *
 * - `waiting`: not running, for the reason in `problem`
 * - `starting`: Ponder is starting
 * - `backfilling`: folding the history for the first time; see `progress`
 * - `resuming`: readable, and catching up with the head that the chain had at the start
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
  /** Changes the chain's status, notifies listeners and, when the problem changes, records it in the database. */
  report(change: Partial<ChainStatus>): void
  status(): Readonly<ChainStatus>
}
