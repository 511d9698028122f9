import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** A bridge, with its vault if it has one, whose history is read. */
export type BridgeOnChain = {
  /** The chain's. */
  name: string
  chainId: number
  rpcUrls: readonly string[]
  requestsPerSecond?: Readonly<Record<string, number>> | undefined
  /** Address in lower case. */
  bridge: Hex
  /** The vault's, if the chain has one. */
  vault?: Hex | undefined
  startBlock: number
}
