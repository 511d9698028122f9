import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { ChainConfig } from '../config/chainConfig.ts'

/**
 * Where one chain's index stands with its supervisor.
 *
 * - `waiting`: not running, for the reason in `problem`
 * - `starting`: Ponder is coming up
 * - `backfilling`: first fold of the history; `progress` says how far
 * - `resuming`: readable, and catching up with the head that the chain had at the start
 * - `live`: follows the head
 * - `superseded`: another build feeds the readers now; this supervisor leaves the chain alone
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
  /** Share of the first backfill done, 0 to 1. */
  progress: number
  /** What keeps the index from following its chain, in words; null when nothing does. */
  problem: string | null
  /** Process id of the chain's Ponder, while it runs. */
  pid: number | null
}

/** What everything that looks after one chain shares. */
export type Supervision = {
  chain: ChainConfig
  /** Hash of the code and contract that make the rows. */
  build: string
  /** Database schema of this chain under this build. */
  schema: string
  databaseUrl: string
  pool: Pool
  /** The project's directory. */
  root: string
  log: Logger
  /** Aborted when the supervisor stops. */
  signal: AbortSignal
  /** Changes what is known of the chain, notifies listeners and, when the problem changes, the database. */
  report(change: Partial<ChainStatus>): void
  status(): Readonly<ChainStatus>
}
