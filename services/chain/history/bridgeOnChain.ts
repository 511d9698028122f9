import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** A bridge whose history is read. */
export type BridgeOnChain = {
  /** The chain's. */
  name: string
  chainId: number
  rpcUrls: readonly string[]
  requestsPerSecond?: Readonly<Record<string, number>> | undefined
  /** Address in lower case. */
  bridge: Hex
  startBlock: number
}
