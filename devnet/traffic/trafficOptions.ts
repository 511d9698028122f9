import type { Logger } from 'pino'
import type { RelayerClient } from '../../sdk/relayer/relayerClient.ts'
import type { Windows } from '../bridgeWindows.ts'
import type { Scenario } from './scenario.ts'
import type { TrafficChain } from './trafficChainClient.ts'

export type TrafficOptions = {
  /** The chains; each one's intents go to the others. */
  chains: TrafficChain[]
  /** Receives each intent's recipients. */
  relayer: RelayerClient
  windows: Windows
  /** Intents per minute over all chains, after the opening. */
  perMinute: number
  /** The same seed on a fresh devnet gives the same intents. */
  seed: number
  /** An intent's scenario; null: none. Default: by seed and id. */
  scenarioOf?: (intentId: bigint) => Scenario | null
  log: Logger
}
