import type { LogLevel } from '../services/log/logLevel.ts'
import type { Windows } from './bridgeWindows.ts'

/** What a devnet is started with. */
export type DevnetOptions = {
  /** Where its state lives. */
  directory: string
  /** Throw the state away first. */
  fresh?: boolean
  /** Default 127.0.0.1. */
  apiHost?: string
  /** Default 0: any free port. */
  apiPort?: number
  /** Intents a minute and the seed of everything played; `off` plays nothing. */
  traffic: 'off' | TrafficPace
  /** Roles that run on it. Default: all. */
  roles?: readonly DevnetRole[]
  logLevel?: LogLevel
  /** The bridges' windows; default `DEVNET_WINDOWS`. They are part of the bridges' addresses. */
  windows?: Windows
  /** Settings of its PostgreSQL beside the usual ones, e.g. `{ log_statement: 'all' }`. */
  postgresSettings?: Record<string, string>
  /** Hears what goes on. */
  onEvent?: (event: DevnetEvent) => void
}

export type TrafficPace = { perMinute: number; seed: number }

/** Roles, in the order in which they are started. */
export const DEVNET_ROLES = [
  'enclave',
  'indexer',
  'reactions',
  'api',
  'push',
  'solver-1',
  'solver-2',
  'orders',
] as const
export type DevnetRole = (typeof DEVNET_ROLES)[number]

export type DevnetEvent =
  /** A stage of the start has begun. */
  | { type: 'stage'; text: string }
  /** Something worth knowing that isn't an error. */
  | { type: 'notice'; text: string }

/** The two chains, by the names and ids that clients know. */
export const DEVNET_CHAINS = [
  { name: 'base_sepolia', chainId: 84532 },
  { name: 'horizen_testnet', chainId: 2651420 },
] as const
