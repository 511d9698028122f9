import { chainClient } from '../../../services/chain/chainClient.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ProvableChain } from './eventProver.ts'

/** What of a chain's configuration is needed to prove its events. */
type ConfiguredChain = {
  name: string
  chainId: number
  rpcUrls: readonly string[]
  bridge: string
}

/** Configured chains with a client each. */
export function provableChains(chains: readonly ConfiguredChain[]): ProvableChain[] {
  return chains.map((chain) => {
    const client = chainClient(chain)
    return {
      chainId: chain.chainId,
      name: chain.name,
      bridge: chain.bridge.toLowerCase() as Hex,
      ask: (method, params) => client.request({ method, params } as never),
    }
  })
}
