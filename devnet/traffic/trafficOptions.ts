import type { Logger } from 'pino'
import type { RelayerClient } from '../../sdk/relayer/relayerClient.ts'
import type { Windows } from '../bridgeWindows.ts'
import type { Scenario } from './scenario.ts'
import type { TrafficChain } from './trafficChain.ts'

export type TrafficOptions = {
  /** Each one's intents go to the others. */
  chains: TrafficChain[]
  /** Receives each intent's recipients. */
  relayer: RelayerClient
  windows: Windows
  /** Intents a minute over all chains, once the opening is over. */
  perMinute: number
  /** The same seed on a fresh devnet plays the same intents. */
  seed: number
  /** An intent's scenario, null: none; default: by seed and id. */
  scenarioOf?: (intentId: bigint) => Scenario | null
  log: Logger
}
