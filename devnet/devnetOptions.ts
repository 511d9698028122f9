import type { LogLevel } from '../services/log/logLevel.ts'
import type { Windows } from './bridgeWindows.ts'

export type DevnetOptions = {
  directory: string
  /** Delete the state first. */
  fresh?: boolean
  /** Default 127.0.0.1. */
  apiHost?: string
  /** Default 0: any free port. */
  apiPort?: number
  /** Intents per minute and the traffic's seed; `off` for no traffic. */
  traffic: 'off' | TrafficPace
  /** Roles to run. Default: all. */
  roles?: readonly DevnetRole[]
  /** Whether the indexer and the API get the processor before the other roles. Default: false. */
  yields?: boolean
  logLevel?: LogLevel
  /** The bridges' windows; default `DEVNET_WINDOWS`. The bridges' addresses depend on them. */
  windows?: Windows
  /** Extra PostgreSQL settings, e.g. `{ log_statement: 'all' }`. */
  postgresSettings?: Record<string, string>
  /** Receives progress events. */
  onEvent?: (event: DevnetEvent) => void
}

export type TrafficPace = { perMinute: number; seed: number }

/** Roles in their start order. */
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
  /** Worth knowing, but not an error. */
  | { type: 'notice'; text: string }

/** The two chains' names and ids, as clients know them. */
export const DEVNET_CHAINS = [
  { name: 'base_sepolia', chainId: 84532 },
  { name: 'horizen_testnet', chainId: 2651420 },
] as const
