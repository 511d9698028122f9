import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { ChainConfig } from '../config/chains.ts'
import type { ChainStatus } from './follow/chainStatus.ts'

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
